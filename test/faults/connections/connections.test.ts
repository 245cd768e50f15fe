/** `ctx.connect` at a service over HTTP, in the eras of sessions, over kills while a person is away. `renewal-kills.test.ts` kills renewals. */
// features: connections
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpSession } from '../../support/http-session.ts'
import type { Message } from '../sessions/message.ts'
import { Session } from '../sessions/session.ts'
import { addressIn, type Connected, callModern, startConnected } from './connect.ts'

const URL_ASKS = { elicitation: { url: {} } }
const ACT = { connection: 'chat' }

async function openSession({ server, withToken }: Connected, version: string, accept?: string) {
  const endpoint = { url: server.url, fetch: withToken }
  const capabilities = version === '2025-11-25' ? URL_ASKS : { elicitation: {} }
  const options = { version, capabilities, ...(accept !== undefined && { accept }) }
  return new Session(await HttpSession.open(endpoint, options))
}

const start = () => startConnected(onTestFinished)

const urlOf = ({ params }: Message) => String((params as { readonly url?: string })?.url)

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
    const result = await callModern(connected, 'act_later', { ms: 500 })
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('No chat account is connected')
    expect(addressIn(result.content[0].text)).toBe('')
  })
})
