/** The operations of the admin API on the connection timeline, over HTTP. */
import { describe, expect, it } from 'vitest'
import { ADMIN, OWNERS, SCOPES, tokenFor } from '../../../../test/auth/server/support/admin.ts'
import { statusWith } from '../../../../test/auth/server/support/client.ts'
import type { Deployment } from '../../../../test/auth/server/support/deployment.ts'
import { admin } from '../../src/admin/index.ts'
import { advance, openRecorded } from './support/recorded-server.ts'

async function open() {
  const recorded = openRecorded({
    origin: 'https://mcp.example.com',
    app: { admin: admin(OWNERS) },
    auth: { scopes: SCOPES },
  })
  const server: Deployment = { ...recorded, events: [] }
  const token = await tokenFor(server)
  const send = async (body: object) => {
    const response = await server.fetch(ADMIN, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: await response.json<Answer>() }
  }
  return {
    server,
    send,
    operate: async (body: object) => {
      const answer = await send(body)
      expect(answer).toMatchObject({ status: 200 })
      return answer.body.result
    },
  }
}

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own result
  readonly result: any
  readonly message?: string
  readonly error?: unknown
}

const ENDPOINT = 'https://mcp.example.com/mcp'

describe('the timeline in the admin API', () => {
  it('records production from timeline-on to timeline-off, and not before', async () => {
    const { server, operate } = await open()
    const caller = await tokenFor(server, { resource: ENDPOINT, scope: 'read' })
    expect(await operate({ operation: 'timeline' })).toEqual({ connections: [] })

    const { endsAt } = await operate({ operation: 'timeline-on', minutes: '60' })
    expect(endsAt).toBe(Date.now() + 60 * 60_000)
    await statusWith(server, caller)
    const { connections } = await operate({ operation: 'timeline' })
    const endpoint = connections.filter(
      ({ client }: { client: { id?: string } }) => client.id !== undefined,
    )
    expect(endpoint).toEqual([
      {
        id: expect.any(String),
        client: expect.objectContaining({ id: expect.any(String) }),
        networks: [expect.any(String)],
        beganAt: Date.now(),
        lastAt: Date.now(),
        verdict: {
          state: 'in-progress',
          summary: 'The client connected. Next comes a request for a list.',
          missing: 'a request for a list',
        },
      },
    ])

    expect(await operate({ operation: 'timeline-off' })).toEqual({ ended: true })
    const { id } = endpoint[0]
    const before = await operate({ operation: 'timeline', connection: id })
    await statusWith(server, caller)
    expect(await operate({ operation: 'timeline', connection: id })).toEqual(before)
    expect(before.connection).toMatchObject({ id, steps: [{ status: 200, kind: 'endpoint' }] })
    expect(before.connection.verdict).toHaveProperty('findings')
  })

  it('stops recording when the minutes of timeline-on have passed', async () => {
    const { server, operate } = await open()
    const caller = await tokenFor(server, { resource: ENDPOINT, scope: 'read' })
    await operate({ operation: 'timeline-on', minutes: '1' })
    advance(60_001)
    await statusWith(server, caller)
    expect(await operate({ operation: 'timeline' })).toEqual({ connections: [] })
  })

  it.each([
    { operation: 'timeline', connection: 'invented' },
    { operation: 'timeline', connection: '' },
    { operation: 'timeline', connection: 7 },
    { operation: 'timeline', connection: null },
    { operation: 'timeline', minutes: '5' },
    { operation: 'timeline-on' },
    { operation: 'timeline-on', minutes: 60 },
    ...['', '0', '-1', '1441', '1e3', '1.5', ' 60', '60m', '99999999999999999999'].map(
      (minutes) => ({ operation: 'timeline-on', minutes }),
    ),
    { operation: 'timeline-off', minutes: '5' },
    { operation: 'grants', subject: 'owner', connection: 'a' },
  ])('refuses %j, and records nothing', async (body) => {
    const { server, send, operate } = await open()
    expect((await send(body)).status).toBe(400)
    await statusWith(server, await tokenFor(server, { resource: ENDPOINT, scope: 'read' }))
    expect(await operate({ operation: 'timeline' })).toEqual({ connections: [] })
  })
})
