/** Concurrent messages that contradict each other, and answers of other sessions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accept } from '../../support/accept.ts'
import { HttpSession } from '../../support/http-session.ts'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { readMessage, type WireMessage } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'
import { outcomeOf } from '../outcome.ts'
import { readCount } from './read-count.ts'

const YES = accept({ ok: true })

let server: FixtureServer
beforeAll(async () => {
  server = await startFixtureServer()
})
afterAll(() => server?.stop())

/** Calls `ask_count` and reads its ask. */
async function callUntilAsk(session: HttpSession, name: string, id: string | number = 'ask') {
  const stream = await session.streamTool('ask_count', { name }, { id })
  const ask = await stream.message()
  return { stream, ask }
}

describe('the answer to an ask', () => {
  it('is used once when ten copies arrive concurrently', async () => {
    const session = await HttpSession.open(server)
    const { stream, ask } = await callUntilAsk(session, 'thrice')
    const answers = Array.from({ length: 10 }, () => session.answer(ask, YES))
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 10 }, () => 202))
    expect((await stream.rest()).map(outcomeOf)).toEqual(['{"action":"accept","ok":true}'])
    expect(await readCount(session, 'thrice-second')).toBe(1)
  })

  it('has no effect when it comes from another session', async () => {
    verifies('elicitation/elicitation-is-bound-to-client-and-user')
    const session = await HttpSession.open(server)
    const { stream, ask } = await callUntilAsk(session, 'foreign')
    const thief = await HttpSession.open(server)
    expect(await thief.answer(ask, YES)).toBe(202)
    const error = { code: -1, message: 'no' }
    expect(await thief.answerWithError(ask, error)).toBe(202)
    expect(await session.answer(ask, accept({ ok: false }))).toBe(202)
    expect((await stream.rest()).map(outcomeOf)).toEqual(['{"action":"accept","ok":false}'])
  })

  it('and a concurrent cancellation end the call either with an answer or without one', async () => {
    verifies('cancellation/late-cancellations')
    const session = await HttpSession.open(server)
    for (let round = 0; round < 8; round++) {
      const { stream, ask } = await callUntilAsk(session, `contest-${round}`, `round ${round}`)
      const cancel = () =>
        session.notify('notifications/cancelled', { requestId: `round ${round}` })
      const both = [() => session.answer(ask, YES), cancel]
      if (round % 2 === 1) both.reverse()
      expect(await Promise.all(both.map((send) => send()))).toEqual([202, 202])
      const messages = await stream.rest()
      // The call has its answer and its second step, or neither.
      const answers = messages.filter(({ id }) => id === `round ${round}`)
      expect(answers.length).toBeLessThanOrEqual(1)
      if (answers.length === 1) {
        expect(await readCount(session, `contest-${round}-second`)).toBe(1)
      }
    }
  })

  it.each<[string, object, string]>([
    [
      'with an unknown member of 2 MB',
      { ...accept({ name: 'Ada' }), filler: 'x'.repeat(2_000_000) },
      'Ada',
    ],
    ['with 600,000 characters', accept({ name: 'n'.repeat(600_000) }), 'n'.repeat(600_000)],
    [
      'with 600,000 characters and an unknown member of 2 MB',
      { ...accept({ name: 'n'.repeat(600_000) }), filler: 'x'.repeat(2_000_000) },
      'n'.repeat(600_000),
    ],
    [
      'with line separators and a lone surrogate (which is answered as U+FFFD)',
      accept({ name: '\u2028\r\n\0\ud800😀' }),
      '\u2028\r\n\0\ufffd😀',
    ],
    [
      'with 300,000 surrogate pairs at an odd offset',
      accept({ name: `x${'😀'.repeat(300_000)}` }),
      `x${'😀'.repeat(300_000)}`,
    ],
  ])('%s is stored unchanged until the last ask is answered', async (_, first, name) => {
    const session = await HttpSession.open(server)
    const stream = await session.streamTool('ask_two')
    expect(await session.answer(await stream.message(), first)).toBe(202)
    expect(await session.answer(await stream.message(), accept({ color: 'red' }))).toBe(202)
    expect(outcomeOf(await stream.message())).toBe(`${name} likes red`)
    expect((await session.send('ping')).status).toBe(200)
  })

  it('ends the call after 100 asks when each one differs and none fits the schema', async () => {
    const session = await HttpSession.open(server)
    const { stream, ask } = await callUntilAsk(session, 'stubborn')
    let asks = 1
    let next = ask
    let message: WireMessage
    for (;;) {
      await session.answer(next, { action: `perhaps ${asks}` })
      message = await stream.message()
      if (message.method !== 'elicitation/create') break
      next = message
      asks++
    }
    expect([asks, outcomeOf(message)]).toEqual([
      100,
      'The handler asked too many times and was stopped.',
    ])
  })
})

describe('DELETE', () => {
  it('ends the session once when an answer, a call and a second DELETE arrive concurrently', async () => {
    const session = await HttpSession.open(server)
    const { stream, ask } = await callUntilAsk(session, 'ended')
    const [first, second] = await Promise.all([
      session.end(),
      session.end(),
      session.answer(ask, YES),
      session.callTool('count', { name: 'ended-call' }),
    ])
    expect([first.status, second.status].sort()).toEqual([204, 404])
    await stream.rest()
    expect((await session.send('ping')).status).toBe(404)
  })

  it.each(['application/json, text/event-stream', 'text/event-stream', 'application/json'])(
    'stops a running call of a client that accepts %s',
    async (form) => {
      const session = await HttpSession.open(server)
      const other = await HttpSession.open(server)
      const before = await readCount(other, 'slow-cancelled')
      const call = session.callTool('slow', { ms: 20_000 }, { headers: { accept: form } })
      // The call has started when its id is in use.
      await expect.poll(async () => (await session.send('ping', {}, { id: 1 })).status).toBe(400)
      expect((await session.end()).status).toBe(204)
      await (await call).text()
      await expect.poll(() => readCount(other, 'slow-cancelled')).toBe(before + 1)
    },
  )
})

describe('a request id in use', () => {
  it('serves the first of four concurrent requests and refuses the others', async () => {
    const session = await HttpSession.open(server)
    const calls = Array.from({ length: 4 }, () =>
      session.callTool('slow', { ms: 300 }, { id: 'same' }),
    )
    const answers = (await Promise.all(calls)).map(async (response) => [
      response.status,
      outcomeOf(await readMessage(response)),
    ])
    expect((await Promise.all(answers)).sort()).toEqual([
      [200, 'done'],
      [400, -32600],
      [400, -32600],
      [400, -32600],
    ])
    expect((await session.callTool('echo', { text: 'x' }, { id: 'same' })).status).toBe(200)
  })

  it('stays in use while an ask is open, and is free after the call is cancelled', async () => {
    const session = await HttpSession.open(server)
    const { stream } = await callUntilAsk(session, 'held', 'held')
    expect((await session.send('ping', {}, { id: 'held' })).status).toBe(400)
    expect(await session.notify('notifications/cancelled', { requestId: 'held' })).toBe(202)
    await stream.rest()
    expect((await session.send('ping', {}, { id: 'held' })).status).toBe(200)
  })
})

it('a session serves 64 concurrent requests, including those with an open ask', async () => {
  const session = await HttpSession.open(server)
  const waiting = Array.from({ length: 32 }, (_, at) =>
    callUntilAsk(session, `full-${at}`, `w${at}`),
  )
  await Promise.all(waiting)
  const running = Array.from({ length: 32 }, () => session.callTool('slow', { ms: 30_000 }))
  const streams = await Promise.all(running)
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200))
  const refused = await session.send('tools/list')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await session.notify('notifications/cancelled', { requestId: 'w0' })).toBe(202)
  expect((await session.send('tools/list')).status).toBe(200)
  expect((await session.end()).status).toBe(204)
})

describe('a queued request of a batch', () => {
  const call = (id: string, name: string, args: object) => {
    return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
  }
  const batch = (name: string) => [
    call('first', 'slow', { ms: 1500 }),
    call('second', 'count', { name }),
  ]

  it('does not start after it was cancelled', async () => {
    const session = await HttpSession.open(server, { version: '2025-03-26' })
    const other = await HttpSession.open(server)
    const response = await session.fetch('POST', batch('cancelled'))
    expect(await session.notify('notifications/cancelled', { requestId: 'second' })).toBe(202)
    expect((await readMessage(response)).id).toBe('first')
    expect(await readCount(other, 'cancelled')).toBe(0)
  })

  it('does not start after its session ended', async () => {
    const session = await HttpSession.open(server, { version: '2025-03-26' })
    const other = await HttpSession.open(server)
    const before = await readCount(other, 'slow-cancelled')
    const response = await session.fetch('POST', batch('ended'))
    expect((await session.end()).status).toBe(204)
    await response.text()
    await expect.poll(() => readCount(other, 'slow-cancelled')).toBe(before + 1)
    expect(await readCount(other, 'ended')).toBe(0)
  })
})
