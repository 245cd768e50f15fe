import { describe, expect, it } from 'vitest'
import { openSession, textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'

const PINGS_TWICE: Handler = async ({ session, step }) => {
  await session?.ping()
  await step('between', () => 'once')
  await session?.ping()
  return 'there'
}

describe('ctx.session.ping', () => {
  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'is sent on the stream of the call under %s',
    async (version) => {
      const session = await openSession({ version })
      const call = await session.stream(PINGS_TWICE)
      const first = await call.message()
      expect(first).toEqual({ jsonrpc: '2.0', id: expect.any(String), method: 'ping', params: {} })
      expect(await session.answer(first, {})).toBe(202)
      const second = await call.message()
      expect([second.method, second.id === first.id]).toEqual(['ping', false])
      expect(await session.answer(second, {})).toBe(202)
      expect(textOf(await call.message())).toBe('there')
    },
  )

  it('needs no client capability', async () => {
    const session = await openSession({ capabilities: {} })
    const call = await session.stream(PINGS_TWICE)
    expect((await call.message()).method).toBe('ping')
  })

  it('fails the call with the error message of the client', async () => {
    const session = await openSession()
    const call = await session.stream(PINGS_TWICE)
    const error = { code: -32601, message: 'Method not found' }
    expect(await session.answerWithError(await call.message(), error)).toBe(202)
    const { result } = await call.message()
    expect(result).toEqual({
      content: [{ type: 'text', text: 'The client did not answer ping: Method not found.' }],
      isError: true,
    })
  })
})
