/** Two messages at once that contradict each other, and who may answer what. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { inShort, type WireMessage } from './event-reader.ts'
import { accept, lastMessage, Session } from './session.ts'

const YES = accept({ ok: true })

let server: FixtureServer
beforeAll(async () => {
  server = await startFixtureServer()
})
afterAll(() => server?.stop())

/** A call of `ask_count` up to its question. */
async function asked(session: Session, name: string, id: string | number = 'ask') {
  const stream = await session.stream('ask_count', { name }, { id })
  const { id: ask } = await stream.message()
  return { stream, ask }
}

describe('an answer', () => {
  it('counts once, however often it comes at once', async () => {
    const session = await Session.open(server.url)
    const { stream, ask } = await asked(session, 'thrice')
    const answers = Array.from({ length: 10 }, () => session.answer(ask, YES))
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 10 }, () => 202))
    expect((await stream.rest()).map(inShort)).toEqual(['{"action":"accept","ok":true}'])
    expect(await session.readCount('thrice-second')).toBe(1)
  })

  it('of another session changes nothing', async () => {
    const session = await Session.open(server.url)
    const { stream, ask } = await asked(session, 'foreign')
    const thief = await Session.open(server.url)
    expect(await thief.answer(ask, YES)).toBe(202)
    const error = { code: -1, message: 'no' }
    const refused = await thief.fetch('POST', { jsonrpc: '2.0', id: ask, error })
    expect(refused.status).toBe(202)
    expect(await session.answer(ask, accept({ ok: false }))).toBe(202)
    expect((await stream.rest()).map(inShort)).toEqual(['{"action":"accept","ok":false}'])
  })

  it('and a cancellation at once leave nothing half done', async () => {
    const session = await Session.open(server.url)
    for (let round = 0; round < 8; round++) {
      const { stream, ask } = await asked(session, `contest-${round}`, `round ${round}`)
      const cancel = () =>
        session.notify('notifications/cancelled', { requestId: `round ${round}` })
      const both = [() => session.answer(ask, YES), cancel]
      if (round % 2 === 1) both.reverse()
      expect(await Promise.all(both.map((send) => send()))).toEqual([202, 202])
      const messages = await stream.rest()
      // Whichever came first: an answer and its work, or neither.
      const answers = messages.filter(({ id }) => id === `round ${round}`)
      expect(answers.length).toBeLessThanOrEqual(1)
      if (answers.length === 1) {
        expect(await session.readCount(`contest-${round}-second`)).toBe(1)
      }
    }
  })

  it.each<[string, object, string]>([
    ['with 2 MB too many', { ...accept({ name: 'Ada' }), filler: 'x'.repeat(2_000_000) }, 'Ada'],
    ['of 600,000 characters', accept({ name: 'n'.repeat(600_000) }), 'n'.repeat(600_000)],
    [
      'of 600,000 characters with 2 MB too many',
      { ...accept({ name: 'n'.repeat(600_000) }), filler: 'x'.repeat(2_000_000) },
      'n'.repeat(600_000),
    ],
    [
      'of separators and halves of pairs',
      accept({ name: '\u2028\r\n\0\ud800😀' }),
      '\u2028\r\n\0\ud800😀',
    ],
    [
      'of 300,000 pairs, wherever it is cut',
      accept({ name: `x${'😀'.repeat(300_000)}` }),
      `x${'😀'.repeat(300_000)}`,
    ],
  ])('%s is kept as it is until the last one', async (_, first, name) => {
    const session = await Session.open(server.url)
    const stream = await session.stream('ask_two')
    expect(await session.answer((await stream.message()).id, first)).toBe(202)
    expect(await session.answer((await stream.message()).id, accept({ color: 'red' }))).toBe(202)
    expect(inShort(await stream.message())).toBe(`${name} likes red`)
    expect((await session.send('ping')).status).toBe(200)
  })

  it('that never fits ends the call after a hundred questions', async () => {
    const session = await Session.open(server.url)
    const { stream, ask } = await asked(session, 'stubborn')
    let questions = 1
    let next = ask
    let message: WireMessage
    for (;;) {
      await session.answer(next, { action: 'perhaps' })
      message = await stream.message()
      if (message.method !== 'elicitation/create') break
      next = message.id
      questions++
    }
    expect([questions, inShort(message)]).toEqual([
      100,
      'The handler asked too many times and was stopped.',
    ])
  })
})

describe('an end', () => {
  it('at the same time as an answer, a call and another end happens once', async () => {
    const session = await Session.open(server.url)
    const { stream, ask } = await asked(session, 'ended')
    const [first, second] = await Promise.all([
      session.end(),
      session.end(),
      session.answer(ask, YES),
      session.call('count', { name: 'ended-call' }),
    ])
    expect([first, second].sort()).toEqual([204, 404])
    await stream.rest()
    expect((await session.send('ping')).status).toBe(404)
  })

  it.each(['application/json, text/event-stream', 'text/event-stream', 'application/json'])(
    'during a call stops it, for a client of %s',
    async (form) => {
      const session = await Session.open(server.url)
      const other = await Session.open(server.url)
      const before = await other.readCount('slow-cancelled')
      const call = session.call('slow', { ms: 20_000 }, { headers: { accept: form } })
      // The call is under way once its id is taken.
      await expect.poll(async () => (await session.send('ping', {}, { id: 1 })).status).toBe(400)
      expect(await session.end()).toBe(204)
      await (await call).text()
      await expect.poll(() => other.readCount('slow-cancelled')).toBe(before + 1)
    },
  )
})

describe('an id in use', () => {
  it('serves the first of four at once and refuses the others', async () => {
    const session = await Session.open(server.url)
    const calls = Array.from({ length: 4 }, () => session.call('slow', { ms: 300 }, { id: 'same' }))
    const answers = (await Promise.all(calls)).map(async (response) => [
      response.status,
      inShort(await lastMessage(response)),
    ])
    expect((await Promise.all(answers)).sort()).toEqual([
      [200, 'done'],
      [400, -32600],
      [400, -32600],
      [400, -32600],
    ])
    expect((await session.call('echo', { text: 'x' }, { id: 'same' })).status).toBe(200)
  })

  it('is in use while a person thinks, and free once the call was cancelled', async () => {
    const session = await Session.open(server.url)
    const { stream } = await asked(session, 'held', 'held')
    expect((await session.send('ping', {}, { id: 'held' })).status).toBe(400)
    expect(await session.notify('notifications/cancelled', { requestId: 'held' })).toBe(202)
    await stream.rest()
    expect((await session.send('ping', {}, { id: 'held' })).status).toBe(200)
  })
})

it('takes sixty-four requests at a time, those that wait for a person included', async () => {
  const session = await Session.open(server.url)
  const waiting = Array.from({ length: 32 }, (_, at) => asked(session, `full-${at}`, `w${at}`))
  await Promise.all(waiting)
  const running = Array.from({ length: 32 }, () => session.call('slow', { ms: 30_000 }))
  const streams = await Promise.all(running)
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200))
  const refused = await session.send('tools/list')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await session.notify('notifications/cancelled', { requestId: 'w0' })).toBe(202)
  expect((await session.send('tools/list')).status).toBe(200)
  expect(await session.end()).toBe(204)
})

describe('a request of a batch that has not begun', () => {
  const call = (id: string, name: string, args: object) => {
    return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
  }
  const batch = (name: string) => [
    call('first', 'slow', { ms: 1500 }),
    call('second', 'count', { name }),
  ]

  it('does not begin once it was cancelled', async () => {
    const session = await Session.open(server.url, { version: '2025-03-26' })
    const other = await Session.open(server.url)
    const response = await session.fetch('POST', batch('cancelled'))
    expect(await session.notify('notifications/cancelled', { requestId: 'second' })).toBe(202)
    expect((await lastMessage(response)).id).toBe('first')
    expect(await other.readCount('cancelled')).toBe(0)
  })

  it('does not begin once its session has ended', async () => {
    const session = await Session.open(server.url, { version: '2025-03-26' })
    const other = await Session.open(server.url)
    const before = await other.readCount('slow-cancelled')
    const response = await session.fetch('POST', batch('ended'))
    expect(await session.end()).toBe(204)
    await response.text()
    await expect.poll(() => other.readCount('slow-cancelled')).toBe(before + 1)
    expect(await other.readCount('ended')).toBe(0)
  })
})
