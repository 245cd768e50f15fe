/** Positions in a stream that no server gave out, and connections that fight over one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { EventReader } from './event-reader.ts'
import { lastMessage, Session } from './session.ts'

let server: FixtureServer
let session: Session
/** The last of five events: three of progress, the answer, and the priming one. */
let last: string
beforeAll(async () => {
  server = await startFixtureServer()
  session = await Session.open(server.url)
  const stream = await session.stream('progress', { count: 3, gapMs: 0 }, { progressToken: 'p' })
  await stream.rest()
  last = stream.lastId
})
afterAll(() => server?.stop())

async function refusalOf(by: Session, eventId: string): Promise<[number, unknown]> {
  const response = await by.get(eventId)
  if (response.status === 200) {
    return [200, (await new EventReader(response).rest()).length]
  }
  return [response.status, (await lastMessage(response)).error.code]
}

describe('Last-Event-ID', () => {
  it.each<[string, (id: string) => string, readonly unknown[]]>([
    ['of the beginning', (id) => id.replace(/~4$/, '~0'), [200, 4]],
    ['of the middle', (id) => id.replace(/~4$/, '~2'), [200, 2]],
    ['of the end', (id) => id, [200, 0]],
    ['of the next moment', (id) => id.replace(/~4$/, '~5'), [400, -32600]],
    ['of the far future', (id) => id.replace(/~4$/, '~999999999999999'), [400, -32600]],
    ['beyond all numbers', (id) => id.replace(/~4$/, '~99999999999999999999'), [400, -32600]],
    ['before the beginning', (id) => id.replace(/~4$/, '~-1'), [400, -32600]],
    ['with a leading zero', (id) => id.replace(/~4$/, '~04'), [400, -32600]],
    ['with a fraction', (id) => id.replace(/~4$/, '~4.0'), [400, -32600]],
    ['with an exponent', (id) => id.replace(/~4$/, '~4e0'), [400, -32600]],
    ['with a sign', (id) => id.replace(/~4$/, '~+4'), [400, -32600]],
    ['without a number', (id) => id.replace(/~4$/, '~'), [400, -32600]],
    ['without a place', (id) => id.replace(/~4$/, ''), [400, -32600]],
    ['with two places', (id) => `${id}~4`, [400, -32600]],
    ['that was altered', (id) => `${id.slice(0, 40)}!${id.slice(41)}`, [400, -32600]],
    ['of a number alone', () => '4', [400, -32600]],
    ['of 2,000 characters', (id) => 'A'.repeat(2000) + id, [400, -32600]],
  ])('%s', async (_, alter, expected) => {
    expect(await refusalOf(session, alter(last))).toEqual(expected)
  })

  it('of another session is none', async () => {
    const other = await Session.open(server.url)
    expect(await refusalOf(other, last)).toEqual([400, -32600])
  })

  it('which is the session’s own id is none', async () => {
    expect(await refusalOf(session, `${session.id}~1`)).toEqual([400, -32600])
  })

  it('of a session that has ended is as gone as the session', async () => {
    const ended = await Session.open(server.url)
    const stream = await ended.stream('progress', { count: 1, gapMs: 0 }, { progressToken: 0 })
    await stream.rest()
    expect(await ended.end()).toBe(204)
    expect(await refusalOf(ended, stream.lastId)).toEqual([404, -32001])
    expect(await ended.end()).toBe(404)
  })
})

describe('connections to one stream', () => {
  it('leave one of them, however many come at once, and it has everything', async () => {
    const own = await Session.open(server.url)
    const call = await own.stream('progress', { count: 8, gapMs: 100 }, { progressToken: 'p' })
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

  it('beyond eight that carry news end the oldest, and each change is told once', async () => {
    const own = await Session.open(server.url)
    const streams: EventReader[] = []
    for (let opened = 0; opened < 10; opened++) streams.push(await own.listen())
    expect([await streams[0]?.message(), await streams[1]?.message()]).toEqual([
      undefined,
      undefined,
    ])
    await (await Session.open(server.url)).result('change_tools')
    const newest = streams.pop()
    expect(await newest?.messageWithin(5000)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
    })
    const others = [...streams.slice(2), newest].map((stream) => stream?.messageWithin(500))
    expect(new Set(await Promise.all(others))).toEqual(new Set(['silence']))
    await Promise.all(streams.map((stream) => stream.leave()))
  })
})
