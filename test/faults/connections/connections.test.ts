/** `ctx.connect` at a service over HTTP, in the eras of sessions, over kills while a person is away and while a token is renewed. */
// features: connections
import { describe, expect, it, onTestFinished } from 'vitest'
import { requestOf } from '../../attacks/modern.ts'
import { HttpSession } from '../../support/http-session.ts'
import { readMessage } from '../../support/sse-reader.ts'
import type { Message } from '../sessions/message.ts'
import { Session } from '../sessions/session.ts'
import { startConnected } from './connect.ts'

const URL_ASKS = { elicitation: { url: {} } }
const ACT = { connection: 'chat' }

type Connected = Awaited<ReturnType<typeof startConnected>>

async function openSession({ server, withToken }: Connected, version: string, accept?: string) {
  const endpoint = { url: server.url, fetch: withToken }
  const capabilities = version === '2025-11-25' ? URL_ASKS : { elicitation: {} }
  const options = { version, capabilities, ...(accept !== undefined && { accept }) }
  return new Session(await HttpSession.open(endpoint, options))
}

const start = () => startConnected(onTestFinished)

async function callModern({ server, withToken }: Connected, name: string, args: object = ACT) {
  const params = { name, arguments: args }
  const response = await withToken(requestOf(server.url, 'tools/call', params, name, undefined, {}))
  return (await readMessage(response)).result
}

const urlOf = ({ params }: Message) => String((params as { readonly url?: string })?.url)

const addressIn = (text: string) =>
  /http:\/\/127\.0\.0\.1:\d+\/connect\?at=[\w.-]+/.exec(text)?.[0] ?? ''

describe('a person who is asked to connect', () => {
  it.each([false, true])(
    'in a session of 2025-11-25 connects, and the call goes on by itself; with a kill between: %s',
    async (kills) => {
      const connected = await start()
      const { server, visit } = connected
      const session = await openSession(connected, '2025-11-25')
      const call = await session.stream('act_write', ACT)
      const ask = await call.message(0)
      expect(ask.params).toMatchObject({ mode: 'url' })
      if (kills) {
        await server.kill()
        await server.startAgain({ samePort: true })
      }
      expect(await session.answer(ask, {})).toBe(202)
      await visit(urlOf(ask))
      const rest = kills ? await session.rest(call.lastId) : await call.rest()
      expect(rest.at(-1)?.result?.structuredContent).toMatchObject({
        account: { id: 'ada', label: 'ada' },
        status: 200,
      })
      expect(await session.readCount('act_write')).toBe(1)
    },
  )

  it('in a session without streams gets error -32042, and the next call finds the account', async () => {
    const connected = await start()
    const session = await openSession(connected, '2025-11-25', 'application/json')
    const { error } = await session.request('tools/call', { name: 'act', arguments: ACT })
    expect(error?.code).toBe(-32042)
    await connected.visit(addressIn(JSON.stringify(error)))
    const { result } = await session.request('tools/call', { name: 'act', arguments: ACT })
    expect(result?.structuredContent).toMatchObject({ status: 200 })
  })

  it.each(['2025-03-26', '2025-06-18'])(
    'of a client of %s gets the address as text',
    async (version) => {
      const connected = await start()
      const session = await openSession(connected, version)
      const asked = await session.request('tools/call', { name: 'act', arguments: ACT })
      await connected.visit(addressIn(String(asked.result?.content?.[0]?.text)))
      const { result } = await session.request('tools/call', { name: 'act', arguments: ACT })
      expect(String(result?.content?.[0]?.text)).toContain('"ada"')
    },
  )

  it('declines, which ends the call', async () => {
    const connected = await start()
    const session = await openSession(connected, '2025-11-25')
    const call = await session.stream('act_write', ACT)
    const ask = await call.message(0)
    expect(await session.answer(ask, {})).toBe(202)
    await connected.visit(urlOf(ask), 'decline')
    const result = (await call.rest()).at(-1)?.result
    expect(result?.isError).toBe(true)
    expect(String(result?.content?.[0]?.text)).toContain('has not connected')
  })

  it('is not asked by a task that goes on by itself', async () => {
    const connected = await start()
    const result = await callModern(connected, 'act_later', { ...ACT, ms: 500 })
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('No chat account is connected')
    expect(addressIn(result.content[0].text)).toBe('')
  })
})

describe('a renewal that a kill interrupts', () => {
  const renewals = ({ service }: Connected) =>
    service.requests.filter(({ fields }) => fields.grant_type === 'refresh_token').length

  async function connectAda(graceSeconds: number) {
    const connected = await startConnected(onTestFinished, graceSeconds)
    await connected.visit(addressIn((await callModern(connected, 'act')).content[0].text))
    return connected
  }

  /** Kills the server while the service answers a renewal, or just before or after. Returns whether it was asked. */
  async function killDuring(connected: Connected, afterMs: number): Promise<boolean> {
    const { server, service } = connected
    const before = renewals(connected)
    service.answer('token', { afterMs: 40 })
    const lost = callModern(connected, 'act').catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, afterMs))
    await server.kill()
    await lost
    service.answer('token', 'accept')
    await server.startAgain({ samePort: true })
    return renewals(connected) > before
  }

  it('loses no connection at a service that accepts the old refresh token for a while', async () => {
    const connected = await connectAda(30)
    const asked: boolean[] = []
    for (const afterMs of [5, 20, 35, 50, 65]) {
      asked.push(await killDuring(connected, afterMs))
      expect((await callModern(connected, 'act')).structuredContent).toMatchObject({ status: 200 })
    }
    expect(asked).toContain(true)
  })

  it('ends those alone whose new token was lost, where the old one is accepted no more', async () => {
    const connected = await connectAda(0)
    for (const afterMs of [5, 20, 35, 50]) {
      const isAsked = await killDuring(connected, afterMs)
      const before = renewals(connected)
      const result = await callModern(connected, 'act')
      if (result.structuredContent?.status === 200) continue
      expect(isAsked).toBe(true)
      // The old token was tried once more, and never again.
      const address = addressIn(result.content[0].text)
      expect(addressIn((await callModern(connected, 'act')).content[0].text)).toBe(address)
      expect(renewals(connected)).toBe(before + 1)
      await connected.visit(address)
    }
  })
})
