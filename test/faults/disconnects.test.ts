/**
 * Clients that disconnect. In the modern era this cancels the call; in the session eras the call runs to
 * its end. The tests read durable counters to see which of both happened.
 */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { verifies } from '../support/verifies.ts'
import { callForValue, framed, modernCall, type RawCall, readCount, sessionCall } from './calls.ts'
import { Connection } from './connection.ts'

const CANCELLED = 'slow-cancelled'
const RUNS = 'reads-only-runs'
/** The server notices a disconnection within a second while a stream is young. */
const POLL = { timeout: 30_000, interval: 50 }

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

/** A reset discards bytes that the server has not read, so it gets this long to read a request. */
const READ_MS = 40

const increaseOf = async (name: string, before: number) =>
  (await readCount(server.url, name)) - before

async function send(call: RawCall): Promise<Connection> {
  const connection = await Connection.open(server.url)
  onTestFinished(() => connection.close())
  await connection.write(framed(call))
  return connection
}

describe.each(['fin', 'reset'] as const)('a client that disconnects with a %s', (how) => {
  it('cancels its call after the SSE response has started (2026-07-28)', async () => {
    verifies('cancellation/disconnect-is-cancellation')
    const connection = await send(modernCall('slow', { ms: 60_000 }))
    await connection.readUntil(': open')
    connection.close(how)
    await expect.poll(() => increaseOf(CANCELLED, cancelledBefore), POLL).toBe(1)
  })

  it('cancels its call before the SSE response has started (2026-07-28)', async () => {
    verifies('cancellation/disconnect-is-cancellation')
    const connection = await send(modernCall('slow', { ms: 60_000 }))
    await setTimeout(READ_MS)
    connection.close(how)
    await expect.poll(() => increaseOf(CANCELLED, cancelledBefore), POLL).toBe(1)
  })

  it('cancels its call when it accepts JSON only (2026-07-28)', async () => {
    const connection = await send(
      modernCall('slow', { ms: 60_000 }, { accept: 'application/json' }),
    )
    await connection.readUntil('application/json')
    connection.close(how)
    await expect.poll(() => increaseOf(CANCELLED, cancelledBefore), POLL).toBe(1)
  })

  it('does not affect the next request when it disconnects between notifications', async () => {
    const progress = modernCall('progress', { count: 1000, gapMs: 5 })
    const body = progress.body.replace('"_meta":{', '"_meta":{"progressToken":"token",')
    const connection = await send({ ...progress, body })
    await connection.readUntil('"progress":3')
    connection.close(how)
    const next = await send(modernCall('echo', { text: 'next' }))
    expect((await next.response()).status).toBe(200)
  })

  it('cancels nothing after it has received its answer', async () => {
    verifies('cancellation/late-cancellations')
    const answered = await send(modernCall('slow', { ms: 150 }))
    expect((await answered.response()).body).toContain('"text":"done"')
    answered.close(how)
    // The second call is cancelled, so that the counter has a value to wait for.
    const connection = await send(modernCall('slow', { ms: 60_000 }))
    await connection.readUntil(': open')
    connection.close(how)
    await expect.poll(() => increaseOf(CANCELLED, cancelledBefore), POLL).toBe(1)
  })

  it('does not stop its session-era call when the stream has begun', async () => {
    const connection = await send(sessionCall('reads_only', { ms: 1500 }))
    await connection.readUntil(': open')
    connection.close(how)
    await expect.poll(() => increaseOf(RUNS, runsBefore), POLL).toBe(1)
  })

  it('does not stop its session-era call when the stream has not begun', async () => {
    const connection = await send(sessionCall('reads_only', { ms: 500 }))
    await setTimeout(READ_MS)
    connection.close(how)
    await expect.poll(() => increaseOf(RUNS, runsBefore), POLL).toBe(1)
  })

  it('does not stop its session-era call when it accepts JSON only', async () => {
    const connection = await send(
      sessionCall('reads_only', { ms: 500 }, { accept: 'application/json' }),
    )
    await setTimeout(READ_MS)
    connection.close(how)
    await expect.poll(() => increaseOf(RUNS, runsBefore), POLL).toBe(1)
  })
})

it('a disconnected client does not cancel the calls of other clients', async () => {
  const connected = await send(modernCall('slow', { ms: 3000 }, { id: 2 }))
  const disconnecting = await send(modernCall('slow', { ms: 60_000 }, { id: 3 }))
  await disconnecting.readUntil(': open')
  disconnecting.close()
  await expect.poll(() => increaseOf(CANCELLED, cancelledBefore), POLL).toBe(1)
  const { body } = await connected.response()
  expect(body).toContain('"id":2')
  expect(body).toContain('"text":"done"')
})

it('a client that accepts JSON only receives one object from a slow call', async () => {
  const connection = await send(modernCall('slow', { ms: 1200 }, { accept: 'application/json' }))
  const { status, headers, body } = await connection.response()
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(body).toMatch(/^ +\{"jsonrpc":"2\.0","id":1,"result":/)
  expect(JSON.parse(body).result.content).toEqual([{ type: 'text', text: 'done' }])
})

it('a client that ends only its sending side receives its answer', async () => {
  const connection = await send(modernCall('slow', { ms: 1200 }))
  connection.finish()
  expect((await connection.response()).body).toContain('"text":"done"')
  expect(await increaseOf(CANCELLED, cancelledBefore)).toBe(0)
})

it('a cancelled modern call does not reach its effect', async () => {
  verifies('cancellation/nothing-follows-a-cancellation')
  const connection = await send(modernCall('reads_only', { ms: 5000 }))
  await connection.readUntil(': open')
  connection.close()
  // This call starts later and waits equally long, so it ends after the cancelled one would have.
  await callForValue(server.url, 'reads_only', { ms: 5000 })
  expect(await increaseOf(RUNS, runsBefore)).toBe(1)
})
