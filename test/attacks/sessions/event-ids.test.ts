/** Event ids that the server did not issue, and concurrent connections to one stream. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpSession } from '../../support/http-session.ts'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { readMessage, SseReader } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'
import { messageWithin } from './message-within.ts'

let server: FixtureServer
let session: HttpSession
/** The id of the last of five events: the priming event, three progress notifications, the answer. */
let last: string
beforeAll(async () => {
  server = await startFixtureServer()
  session = await HttpSession.open(server)
  const stream = await session.streamTool(
    'progress',
    { count: 3, gapMs: 0 },
    { progressToken: 'p' },
  )
  await stream.rest()
  last = stream.lastId
})
afterAll(() => server?.stop())

/** The status, with the number of replayed messages or the code of the error. */
async function resume(session: HttpSession, eventId: string): Promise<[number, unknown]> {
  const response = await session.get(eventId)
  if (response.status === 200) {
    return [200, (await new SseReader(response).rest()).length]
  }
  return [response.status, (await readMessage(response)).error.code]
}

describe('a GET with Last-Event-ID', () => {
  it.each<[string, (id: string) => string, readonly unknown[]]>([
    ['the id of the priming event', (id) => id.replace(/~4$/, '~0'), [200, 4]],
    ['the id of the second progress notification', (id) => id.replace(/~4$/, '~2'), [200, 2]],
    ['the id of the last event', (id) => id, [405, -32600]],
    ['the number after the last event', (id) => id.replace(/~4$/, '~5'), [400, -32600]],
    [
      'a number far above the last event',
      (id) => id.replace(/~4$/, '~999999999999999'),
      [400, -32600],
    ],
    ['a number above 2^63', (id) => id.replace(/~4$/, '~99999999999999999999'), [400, -32600]],
    ['a negative number', (id) => id.replace(/~4$/, '~-1'), [400, -32600]],
    ['a number with a leading zero', (id) => id.replace(/~4$/, '~04'), [400, -32600]],
    ['a number with a fraction', (id) => id.replace(/~4$/, '~4.0'), [400, -32600]],
    ['a number with an exponent', (id) => id.replace(/~4$/, '~4e0'), [400, -32600]],
    ['a number with a plus sign', (id) => id.replace(/~4$/, '~+4'), [400, -32600]],
    ['a seal and an empty number', (id) => id.replace(/~4$/, '~'), [400, -32600]],
    ['a seal without a number', (id) => id.replace(/~4$/, ''), [400, -32600]],
    ['two numbers', (id) => `${id}~4`, [400, -32600]],
    ['an altered seal', (id) => `${id.slice(0, 40)}!${id.slice(41)}`, [400, -32600]],
    ['a number without a seal', () => '4', [400, -32600]],
    ['2,000 characters before the seal', (id) => 'A'.repeat(2000) + id, [400, -32600]],
  ])('with %s is answered with $2', async (_, alter, expected) => {
    expect(await resume(session, alter(last))).toEqual(expected)
  })

  it('is refused when the event belongs to another session', async () => {
    const other = await HttpSession.open(server)
    expect(await resume(other, last)).toEqual([400, -32600])
  })

  it('is refused when the seal is the session id', async () => {
    expect(await resume(session, `${session.id}~1`)).toEqual([400, -32600])
  })

  it('is answered 404 when the session has ended', async () => {
    const ended = await HttpSession.open(server)
    const stream = await ended.streamTool('progress', { count: 1, gapMs: 0 }, { progressToken: 0 })
    await stream.rest()
    expect((await ended.end()).status).toBe(204)
    expect(await resume(ended, stream.lastId)).toEqual([404, -32001])
    expect((await ended.end()).status).toBe(404)
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
      2,
      3,
      4,
      5,
      6,
      7,
      8,
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
