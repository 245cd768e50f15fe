/**
 * Clients that leave. In the modern era that cancels the call, in the session eras the work goes on.
 * Whether it did is read off durable counters.
 */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { callForValue, framed, modernCall, type RawCall, readCount, sessionCall } from './calls.ts'
import { Connection } from './connection.ts'

const CANCELLED = 'slow-cancelled'
const RUNS = 'reads-only-runs'
/** Far longer than a departure takes to be noticed: a second for a young stream. */
const POLL = { timeout: 10_000, interval: 50 }

let server: FixtureServer
let cancelledBefore: number
let runsBefore: number

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  cancelledBefore = await readCount(server.url, CANCELLED)
  runsBefore = await readCount(server.url, RUNS)
})

/** A reset takes along what the server has not read, so it is given this to read a request. */
const READ_MS = 40

const rise = async (name: string, before: number) => (await readCount(server.url, name)) - before

async function send(call: RawCall): Promise<Connection> {
  const connection = await Connection.open(server.url)
  onTestFinished(() => connection.close())
  await connection.write(framed(call))
  return connection
}

describe.each(['fin', 'reset'] as const)('a client that leaves with a %s', (how) => {
  it('cancels its modern call, when the stream has begun', async () => {
    const connection = await send(modernCall('slow', { ms: 60_000 }))
    await connection.readUntil(': open')
    connection.close(how)
    await expect.poll(() => rise(CANCELLED, cancelledBefore), POLL).toBe(1)
  })

  it('cancels its modern call, when the stream has not begun', async () => {
    const connection = await send(modernCall('slow', { ms: 60_000 }))
    await setTimeout(READ_MS)
    connection.close(how)
    await expect.poll(() => rise(CANCELLED, cancelledBefore), POLL).toBe(1)
  })

  it('cancels its modern call, when it takes JSON alone', async () => {
    const connection = await send(
      modernCall('slow', { ms: 60_000 }, { accept: 'application/json' }),
    )
    await connection.readUntil('application/json')
    connection.close(how)
    await expect.poll(() => rise(CANCELLED, cancelledBefore), POLL).toBe(1)
  })

  it('leaves the server serving, in the middle of notifications', async () => {
    const progress = modernCall('progress', { count: 1000, gapMs: 5 })
    const body = progress.body.replace('"_meta":{', '"_meta":{"progressToken":"token",')
    const connection = await send({ ...progress, body })
    await connection.readUntil('"progress":3')
    connection.close(how)
    const next = await send(modernCall('echo', { text: 'next' }))
    expect((await next.response()).status).toBe(200)
  })

  it('cancels nothing, when it has had its answer', async () => {
    const answered = await send(modernCall('slow', { ms: 150 }))
    expect((await answered.response()).body).toContain('"text":"done"')
    answered.close(how)
    // The next one is cancelled, so that there is something to wait for.
    const connection = await send(modernCall('slow', { ms: 60_000 }))
    await connection.readUntil(': open')
    connection.close(how)
    await expect.poll(() => rise(CANCELLED, cancelledBefore), POLL).toBe(1)
  })

  it('leaves its session-era call to run to its end, when the stream has begun', async () => {
    const connection = await send(sessionCall('reads_only', { ms: 1500 }))
    await connection.readUntil(': open')
    connection.close(how)
    await expect.poll(() => rise(RUNS, runsBefore), POLL).toBe(1)
  })

  it('leaves its session-era call to run to its end, when the stream has not begun', async () => {
    const connection = await send(sessionCall('reads_only', { ms: 500 }))
    await setTimeout(READ_MS)
    connection.close(how)
    await expect.poll(() => rise(RUNS, runsBefore), POLL).toBe(1)
  })

  it('leaves a session-era call to run to its end whose answer is no stream', async () => {
    const connection = await send(
      sessionCall('reads_only', { ms: 500 }, { accept: 'application/json' }),
    )
    await setTimeout(READ_MS)
    connection.close(how)
    await expect.poll(() => rise(RUNS, runsBefore), POLL).toBe(1)
  })
})

it('a client that leaves does not take the calls of others along', async () => {
  const staying = await send(modernCall('slow', { ms: 3000 }, { id: 2 }))
  const leaving = await send(modernCall('slow', { ms: 60_000 }, { id: 3 }))
  await leaving.readUntil(': open')
  leaving.close()
  await expect.poll(() => rise(CANCELLED, cancelledBefore), POLL).toBe(1)
  const { body } = await staying.response()
  expect(body).toContain('"id":2')
  expect(body).toContain('"text":"done"')
})

it('a client that takes JSON alone gets one object, however long it took', async () => {
  const connection = await send(modernCall('slow', { ms: 1200 }, { accept: 'application/json' }))
  const { status, headers, body } = await connection.response()
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(body).toMatch(/^ +\{"jsonrpc":"2\.0","id":1,"result":/)
  expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text: 'done' }])
})

it('a client that has only finished sending gets its answer', async () => {
  const connection = await send(modernCall('slow', { ms: 1200 }))
  connection.finish()
  expect((await connection.response()).body).toContain('"text":"done"')
  expect(await rise(CANCELLED, cancelledBefore)).toBe(0)
})

it('a modern call that is cancelled does not get as far as its effect', async () => {
  const connection = await send(modernCall('reads_only', { ms: 2000 }))
  await connection.readUntil(': open')
  connection.close()
  // Begun later and waiting as long, so it ends when the cancelled one would have ended.
  await callForValue(server.url, 'reads_only', { ms: 2000 })
  expect(await rise(RUNS, runsBefore)).toBe(1)
})
