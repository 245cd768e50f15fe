/** Sessions over time: late changes, expiry, deletion of rows, and alarms. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PersistentServer } from '../../faults/sessions/persistent-server.ts'
import { HttpSession } from '../../support/http-session.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { outcomeOf } from '../outcome.ts'
import { messageWithin } from './message-within.ts'
import { alarmsOf, countRows } from './stored-rows.ts'

const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

const EVERY_TABLE = [
  'settings',
  'streams',
  'events',
  'runs',
  'journal',
  'asks',
  'subscriptions',
  'elicitations',
  'parts',
]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.concurrent('a session over time', () => {
  const servers: Record<string, PersistentServer> = {}
  const serverOf = (name: string): PersistentServer => {
    const server = servers[name]
    if (server === undefined) throw new TypeError(`${name} has not started`)
    return server
  }
  beforeAll(async () => {
    // One server for each test, because rows are counted over all sessions of a server.
    for (const name of ['long', 'short', 'expiring', 'overdue', 'oldest']) {
      servers[name] = await PersistentServer.start(undefined, { short: name !== 'long' })
    }
  })
  afterAll(async () => {
    await Promise.all(Object.values(servers).map((server) => server.stop()))
  })

  it('sends the first change on a standalone stream after its object was evicted', async () => {
    const { url } = serverOf('long')
    const idle = await (await HttpSession.open({ url })).listen()
    const other = await HttpSession.open({ url })
    // The platform evicts an object after ten idle seconds.
    await pause(13_000)
    await other.callTool('change_tools')
    expect(await messageWithin(idle, 3000)).toEqual(TOOLS_CHANGED)
    await idle.leave()
  })

  it('sends the next change on a standalone stream whose log has expired', async () => {
    const { url } = serverOf('short')
    const idle = await (await HttpSession.open({ url })).listen()
    const other = await HttpSession.open({ url })
    await other.callTool('change_tools')
    expect(await messageWithin(idle, 3000)).toEqual(TOOLS_CHANGED)
    await expect.poll(() => countRows(serverOf('short'), 'events'), { timeout: 30_000 }).toBe(0)
    await other.callTool('change_tools')
    expect(await messageWithin(idle, 3000)).toEqual(TOOLS_CHANGED)
    await idle.leave()
  })

  it('deletes all rows and alarms after every session has expired', async () => {
    const server = serverOf('expiring')
    const [asked, level, subscribed, ended, left] = await Promise.all(
      Array.from({ length: 5 }, () => HttpSession.open(server)),
    )
    await asked?.streamTool('ask_two').then((call) => call.message())
    await level?.send('logging/setLevel', { level: 'debug' })
    await subscribed?.send('resources/subscribe', { uri: 'probe://item/1' })
    const call = await ended?.streamTool('progress', { count: 3, gapMs: 0 }, { progressToken: 1 })
    await call?.rest()
    expect((await ended?.end())?.status).toBe(204)
    const headers = { accept: 'text/event-stream' }
    await (await left?.callTool('big', { bytes: 2_000_000 }, { headers }))?.body?.cancel()
    expect(countRows(server, ...EVERY_TABLE)).toBeGreaterThan(10)
    await expect
      .poll(() => [countRows(server, ...EVERY_TABLE), alarmsOf(server).length], { timeout: 40_000 })
      .toEqual([0, 0])
  })

  it('does not repeat its alarm in a loop when it expires while logs remain', async () => {
    const server = serverOf('overdue')
    // The session expires 15 s after it was opened: at the earliest 15 s after this moment.
    const startedAt = Date.now()
    const until = (ms: number) => pause(startedAt + ms - Date.now())
    const session = await HttpSession.open(server)
    await until(11_000)
    // Both logs outlive the session, for up to 4 s after their calls.
    await session.streamTool('progress', { count: 1, gapMs: 0 }, { progressToken: 1 })
    await until(12_500)
    await (await session.streamTool('slow', { ms: 1000 })).rest()
    await until(15_300)
    const alarms: number[] = []
    while (Date.now() < startedAt + 18_300) {
      alarms.push(...alarmsOf(server))
      await pause(50)
    }
    expect(alarms.length).toBeGreaterThan(5)
    // One for the session and one for each log. A loop would have another time every 500 ms.
    expect(new Set(alarms).size).toBeLessThanOrEqual(3)
  })

  it('deletes acknowledged events of a 2024-11-05 stream', async () => {
    const server = serverOf('oldest')
    const accept = { accept: 'text/event-stream' }
    const stream = new SseReader(await fetch(new URL('/sse', server.url), { headers: accept }))
    const address = new URL((await stream.data()) ?? '', server.url)
    const send = (id: number, method: string, params: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      return fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    }
    const clientInfo = { name: 'oldest', version: '1.0.0' }
    await send(0, 'initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo })
    expect((await stream.message()).id).toBe(0)
    for (let id = 1; id <= 3; id++) {
      await send(id, 'tools/call', { name: 'big', arguments: { bytes: 1_000_000 } })
      expect(outcomeOf(await stream.message())).toHaveLength(1_000_000)
    }
    expect(countRows(server, 'events', 'parts')).toBeGreaterThan(3)
    // The session lives for fifteen seconds, its logs for four.
    await expect.poll(() => countRows(server, 'events', 'parts')).toBe(0)
    await stream.leave()
  })
})
