/** What becomes of a session with time: what is told late, what is left behind, and what keeps waking. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EventReader, inShort } from './event-reader.ts'
import { Session } from './session.ts'
import { alarmsOf, countRows, type KeptServer, startKeptServer } from './stored.ts'

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

describe.concurrent('with time', () => {
  const servers: Record<string, KeptServer> = {}
  const serverOf = (name: string): KeptServer => {
    const server = servers[name]
    if (server === undefined) throw new TypeError(`${name} has not started`)
    return server
  }
  beforeAll(async () => {
    // One for each: what is counted on disk is of every session of a server.
    for (const name of ['long', 'short', 'expiring', 'overdue', 'oldest']) {
      servers[name] = await startKeptServer({ short: name !== 'long' })
    }
  })
  afterAll(async () => {
    await Promise.all(Object.values(servers).map((server) => server.stop()))
  })

  it('a stream that has heard nothing yet hears news after its object has slept', async () => {
    const { url } = serverOf('long')
    const idle = await (await Session.open(url)).listen()
    const other = await Session.open(url)
    // The platform lets go of an object after ten idle seconds.
    await pause(13_000)
    await other.result('change_tools')
    expect(await idle.messageWithin(3000)).toEqual(TOOLS_CHANGED)
    await idle.leave()
  })

  it('a stream that was silent for longer than its log is kept hears the next news', async () => {
    const { url } = serverOf('short')
    const idle = await (await Session.open(url)).listen()
    const other = await Session.open(url)
    await other.result('change_tools')
    expect(await idle.messageWithin(3000)).toEqual(TOOLS_CHANGED)
    await expect.poll(() => countRows(serverOf('short'), 'events'), { timeout: 8000 }).toBe(0)
    await other.result('change_tools')
    expect(await idle.messageWithin(3000)).toEqual(TOOLS_CHANGED)
    await idle.leave()
  })

  it('everything is gone once every session has expired', async () => {
    const server = serverOf('expiring')
    const [asked, level, subscribed, ended, left] = await Promise.all(
      Array.from({ length: 5 }, () => Session.open(server.url)),
    )
    await asked?.stream('ask_two').then((call) => call.message())
    await level?.send('logging/setLevel', { level: 'debug' })
    await subscribed?.send('resources/subscribe', { uri: 'probe://item/1' })
    const call = await ended?.stream('progress', { count: 3, gapMs: 0 }, { progressToken: 1 })
    await call?.rest()
    expect(await ended?.end()).toBe(204)
    const headers = { accept: 'text/event-stream' }
    await (await left?.call('big', { bytes: 2_000_000 }, { headers }))?.body?.cancel()
    expect(countRows(server, ...EVERY_TABLE)).toBeGreaterThan(10)
    await expect
      .poll(() => [countRows(server, ...EVERY_TABLE), alarmsOf(server).length], { timeout: 40_000 })
      .toEqual([0, 0])
  })

  it('a session that expires in the middle of its work is not woken again and again', async () => {
    const server = serverOf('overdue')
    const session = await Session.open(server.url)
    const expiresAt = Date.now() + 15_000
    await pause(12_000)
    // The first log has had its four seconds soon after the session expires, the second only then.
    await session.stream('progress', { count: 1, gapMs: 0 }, { progressToken: 1 })
    await pause(1800)
    await (await session.stream('slow', { ms: 1000 })).rest()
    const dueInMs: number[] = []
    while (Date.now() < expiresAt + 2500) {
      // The first alarm has come by, and the next is for the second log.
      if (Date.now() > expiresAt + 1500) {
        dueInMs.push(...alarmsOf(server).map((at) => at - Date.now()))
      }
      await pause(50)
    }
    expect(dueInMs.length).toBeGreaterThan(5)
    expect(Math.min(...dueInMs)).toBeGreaterThan(200)
  })

  it('what was read on the one stream of the oldest transport is forgotten', async () => {
    const server = serverOf('oldest')
    const accept = { accept: 'text/event-stream' }
    const stream = new EventReader(await fetch(new URL('/sse', server.url), { headers: accept }))
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
      expect(inShort(await stream.message())).toHaveLength(1_000_000)
    }
    expect(countRows(server, 'events', 'parts')).toBeGreaterThan(3)
    // The session itself lives for fifteen seconds, its logs for four.
    await expect.poll(() => countRows(server, 'events', 'parts'), { timeout: 9000 }).toBe(0)
    await stream.leave()
  })
})
