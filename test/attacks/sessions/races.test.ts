/** Concurrent messages that contradict each other, and concurrent connections to one session. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accept } from '../../support/accept.ts'
import { HttpSession } from '../../support/http-session.ts'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { readMessage, type SseReader, type WireMessage } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'
import { outcomeOf } from '../outcome.ts'
import { messageWithin } from './message-within.ts'
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

describe('concurrent connections of one session', () => {
  it('are reduced to one when six arrive at once, and that one receives every event', async () => {
    const own = await HttpSession.open(server)
    const call = await own.streamTool('progress', { count: 8, gapMs: 100 }, { progressToken: 'p' })
    await call.message()
    const ids = Array.from({ length: 6 }, () => call.lastId)
    const readers = await Promise.all(ids.map(async (id) => own.listen(id)))
    const all = await Promise.all([call, ...readers].map((reader) => reader.rest()))
    const answered = all.filter((messages) => messages.at(-1)?.result !== undefined)
    expect(answered).toHaveLength(1)
    expect(answered[0]?.map(({ params }) => params?.progress)).toEqual([
      ...[2, 3, 4, 5, 6, 7, 8],
      undefined,
    ])
  })

  it('are refused with 429 beyond eight standalone streams, and each change is sent once', async () => {
    verifies('streamable-http/message-is-on-one-stream')
    const own = await HttpSession.open(server)
    const streams: SseReader[] = []
    for (let opened = 0; opened < 8; opened++) streams.push(await own.listen())
    expect([(await own.get()).status, (await own.get()).status]).toEqual([429, 429])
    const publisher = await HttpSession.open(server)
    await publisher.callTool('change_tools')
    const newest = streams.pop()
    expect(await (newest && messageWithin(newest, 5000))).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
    })
    const others = [...streams, newest].map((stream) => stream && messageWithin(stream, 500))
    expect(new Set(await Promise.all(others))).toEqual(new Set(['silence']))
    await Promise.all(streams.map((stream) => stream.leave()))
  })
})
