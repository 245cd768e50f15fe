/** The timeline of the protected server over HTTP: the doctor as a client, a proxy that loses tokens, a kill. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { authorize } from '../../../scripts/support/authorize.ts'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { startFixtureServer } from '../../../test/support/node/fixture-server.ts'
import type { TimelineConnection } from '../../inspector/src/timeline/views.ts'
import { approve } from './approve.ts'
import { examineQuickly } from './examine.ts'

const OWNER = 'correct horse battery staple'

async function timelineOf(url: string): Promise<readonly TimelineConnection[]> {
  const response = await fetch(new URL('/inspect/timeline.json', url))
  expect(response.status).toBe(200)
  const { connections } = (await response.json()) as {
    readonly connections: readonly TimelineConnection[]
  }
  return connections
}

const call = (url: string, token: string | undefined, agent: string) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': agent,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })

describe('the timeline of the protected server', () => {
  it('is served with --inspect, and survives a kill', async () => {
    const state = await mkdtemp(join(tmpdir(), 'timeline-'))
    onTestFinished(() => rm(state, { recursive: true, force: true }))
    const port = await findFreePort()
    const first = await startFixtureServer({ protected: true, inspect: true, port, state })
    const token = await authorize({ origin: new URL(first.url).origin, passphrase: OWNER })
    expect((await call(first.url, token, 'a-client/1')).status).toBe(200)
    await expect.poll(async () => (await timelineOf(first.url)).length).toBeGreaterThan(0)
    await expect
      .poll(async () => (await timelineOf(first.url)).map(({ verdict }) => verdict.state))
      .toContain('connected')
    process.kill(first.pid, 'SIGKILL')
    await first.exited
    const second = await startFixtureServer({ protected: true, inspect: true, port, state })
    onTestFinished(() => second.stop())
    expect((await call(second.url, token, 'a-client/1')).status).toBe(200)
    await expect
      .poll(async () => {
        const [connection] = await timelineOf(second.url)
        return connection?.steps.filter(({ title }) => title === 'tools/list').length
      })
      .toBe(2)
    const [connection] = await timelineOf(second.url)
    expect(connection?.steps.map(({ title }) => title)).toContain('token (authorization_code)')
    expect(JSON.stringify(connection)).not.toContain(token)
  })

  it('names the token that a proxy loses, by the code of the doctor', async () => {
    const server = await startFixtureServer({ protected: true, inspect: true })
    onTestFinished(() => server.stop())
    const proxy = createServer((request, response) => {
      void call(server.url, undefined, String(request.headers['user-agent'])).then(
        async (answer) => {
          response.writeHead(answer.status)
          response.end(await answer.text())
        },
      )
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const { port } = proxy.address() as { readonly port: number }
    const token = await authorize({ origin: new URL(server.url).origin, passphrase: OWNER })
    // The same program as that which got the token.
    expect((await call(`http://127.0.0.1:${port}/mcp`, token, 'node')).status).toBe(401)
    await expect
      .poll(async () =>
        (await timelineOf(server.url)).flatMap(({ verdict }) =>
          verdict.findings.map(({ code, answer }) => [code, answer]),
        ),
      )
      .toContainEqual([
        'token-refused',
        'After the token was issued, a request came without an Authorization header',
      ])
  })

  it.each([
    ['an open server', { inspect: true }],
    ['a protected one', { protected: true, inspect: true }],
  ])('has one entry without a verdict for the doctor at %s', async (_, options) => {
    const server = await startFixtureServer(options)
    onTestFinished(() => server.stop())
    await examineQuickly(server.url, {
      timeoutMs: 10_000,
      active: true,
      eventWaitMs: 1000,
      login: true,
      onLogin: (page) => approve(page, OWNER),
    })
    await expect
      .poll(async () =>
        (await timelineOf(server.url)).map(({ client, verdict }) => [client.name, verdict.state]),
      )
      .toEqual([['edgeway-doctor', 'examination']])
  })
})
