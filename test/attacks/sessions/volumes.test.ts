/** More than a session expects: at once, by and by, and in places where nobody looks. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EventReader, inShort } from './event-reader.ts'
import { lastMessage, Session } from './session.ts'
import { countRows, type KeptServer, startKeptServer } from './stored.ts'

let server: KeptServer
beforeAll(async () => {
  server = await startKeptServer({ short: false })
})
afterAll(() => server?.stop())

/** Requests of a batch, which have one stream together. */
function batchOf(name: string, ...args: readonly object[]): object[] {
  return args.map((args, id) => {
    const params = { name, arguments: args, _meta: { progressToken: id } }
    return { jsonrpc: '2.0', id, method: 'tools/call', params }
  })
}

describe('a call that says more than its log holds before anybody has read a word', () => {
  const message = 'x'.repeat(500_000)
  it.each<[string, object[]]>([
    ['2,000 times', batchOf('progress', { count: 1000, gapMs: 0 }, { count: 1000, gapMs: 0 })],
    ['2 MB', batchOf('log', ...Array.from({ length: 4 }, () => ({ level: 'error', message })))],
  ])('%s still has its answers', async (_, batch) => {
    const session = await Session.open(server.url, { version: '2025-03-26' })
    const reader = new EventReader(await session.fetch('POST', batch))
    const answers = (await reader.rest()).filter(({ result }) => result !== undefined)
    expect(answers.map(inShort)).toEqual(batch.map(() => 'done'))
  })
})

it('delivers 8 MB to a reader of a stream, and to one who comes back for it', async () => {
  const session = await Session.open(server.url)
  const headers = { accept: 'text/event-stream' }
  const first = await session.stream('big', { bytes: 8_000_000 }, { headers })
  expect(inShort(await first.message())).toHaveLength(8_000_000)
  const again = await session.listen(first.ids[0])
  expect(inShort(await again.message())).toHaveLength(8_000_000)
})

it('serves another session while one is flooded', async () => {
  const flooded = await Session.open(server.url)
  const other = await Session.open(server.url)
  const flood = Array.from({ length: 60 }, async () => {
    for (let call = 0; call < 3; call++) {
      await lastMessage(
        await flooded.call('progress', { count: 50, gapMs: 0 }, { progressToken: 1 }),
      )
    }
  })
  expect((await other.send('ping')).status).toBe(200)
  const slowest = await other.result('echo', { text: 'still here' })
  expect(inShort(slowest)).toBe('still here')
  await Promise.all(flood)
})

describe('subscriptions', () => {
  it('are as many as a session may have, and no more, however many ask at once', async () => {
    const session = await Session.open(server.url)
    const subscribe = async (at: number) =>
      lastMessage(await session.send('resources/subscribe', { uri: `probe://item/${at}` }))
    const codes: unknown[] = []
    for (let from = 0; from < 1040; from += 40) {
      const some = Array.from({ length: 40 }, (_, at) => subscribe(from + at))
      codes.push(...(await Promise.all(some)).map(({ error }) => error?.code))
    }
    expect(codes.filter((code) => code === undefined)).toHaveLength(1000)
    expect(codes.filter((code) => code === -32602)).toHaveLength(40)
  })

  it('of long URIs end before their sum is a burden', async () => {
    const session = await Session.open(server.url)
    const codes: unknown[] = []
    for (let at = 0; at < 9; at++) {
      const uri = `probe://item/${at}${'x'.repeat(8000)}`
      codes.push(
        (await lastMessage(await session.send('resources/subscribe', { uri }))).error?.code,
      )
    }
    expect(codes).toEqual([...Array.from({ length: 8 }, () => undefined), -32602])
  })
})

it('keeps no credential of any kind with a call that waits', async () => {
  const session = await Session.open(server.url)
  const headers = {
    authorization: 'Bearer canary-1a',
    cookie: 'session=canary-1b',
    'proxy-authorization': 'Basic canary-1c',
    'x-api-key': 'canary-1d',
    'cf-access-jwt-assertion': 'canary-1e',
    'cf-access-client-secret': 'canary-1f',
  }
  const before = countRows(server, 'runs')
  const call = await session.stream('ask_count', { name: 'canary-kept' }, { headers })
  await call.message()
  expect(countRows(server, 'runs')).toBe(before + 1)
  const search = promisify(execFile)('grep', ['-aohr', 'canary-[a-z0-9]*', server.directory])
  expect([...new Set((await search).stdout.trim().split('\n'))]).toEqual(['canary-kept'])
  await call.leave()
})
