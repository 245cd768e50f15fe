/** Readers that take nothing, and readers that are merely slow. The server has its short limits. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { callForValue, framed, modernCall } from './calls.ts'

const BYTES = 8_388_608

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer({ short: true })
})

afterAll(() => server.stop())

/** Asks for a large answer as a stream, and reads none of it. */
async function askForLargeStream(): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  socket.pause()
  await once(socket, 'connect')
  socket.write(framed(modernCall('big', { bytes: BYTES }, { accept: 'text/event-stream' })))
  return socket
}

/** Resolves with the number of bytes that came until the server ended. */
async function drain(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  // A reset ends it as well; the sum is what counts.
  await Promise.race([once(socket, 'end'), once(socket, 'close')]).catch(() => undefined)
  return bytes
}

it('gives up a reader that takes nothing for as long as the limit says', async () => {
  expect(server.limits.writeStallMs).toBe(3000)
  const socket = await askForLargeStream()
  // Three calls that run out of time, one after the other: nine seconds of taking nothing.
  for (const _ of [1, 2, 3]) {
    await expect(callForValue(server.url, 'never', {})).rejects.toThrow('exceeded its timeout')
  }
  expect(await drain(socket)).toBeLessThan(BYTES)
})

/** Takes little at a time, so that the kernel sees a slow reader and keeps its buffer small. */
const SIP_BYTES = 16_384
/** Three times the limit and more for the whole answer, and never that long without a sip. */
const SIP_PAUSE_MS = 20

it('keeps a reader that is slow but steady, and gives it all', async () => {
  let bytes = 0
  let tail = ''
  const socket: Socket = connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    onread: {
      buffer: new Uint8Array(SIP_BYTES),
      callback: (count, buffer) => {
        bytes += count
        tail = (tail + Buffer.from(buffer.subarray(0, count)).toString('latin1')).slice(-1000)
        setTimeout(() => socket.resume(), SIP_PAUSE_MS)
        return false
      },
    },
  })
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  const began = Date.now()
  socket.write(framed(modernCall('big', { bytes: BYTES }, { accept: 'text/event-stream' })))
  // Keep-alive leaves the connection open, so the last chunk is the end.
  await expect
    .poll(() => tail.endsWith('\r\n0\r\n\r\n') || socket.closed, { timeout: 60_000 })
    .toBe(true)
  expect(Date.now() - began).toBeGreaterThan(3 * 3000)
  expect(tail.includes('"resultType":"complete"')).toBe(true)
  expect(bytes).toBeGreaterThan(BYTES)
})
