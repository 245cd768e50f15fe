/**
 * Clients that stop reading, and clients that read slowly, on a server with short limits. They read
 * from a socket, because an HTTP client buffers more than the limits that the tests check.
 */
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

/** Requests a large answer as a stream, and reads none of it. */
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

/** Resolves with the number of bytes up to the end of the connection. */
async function drain(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  // A reset counts as an end.
  await Promise.race([once(socket, 'end'), once(socket, 'close')]).catch(() => undefined)
  return bytes
}

it('a connection is closed when its client reads nothing for writeStallMs', async () => {
  expect(server.limits.writeStallMs).toBe(3000)
  const socket = await askForLargeStream()
  // Three sequential calls exceed their timeout, which takes nine seconds.
  for (const _ of [1, 2, 3]) {
    await expect(callForValue(server.url, 'never', {})).rejects.toThrow('exceeded its timeout')
  }
  expect(await drain(socket)).toBeLessThan(BYTES)
})

/** The client reads little at a time, so that the kernel keeps its buffer small. */
const READ_BYTES = 16_384
/** The whole answer takes more than three times the limit, and no pause is as long as the limit. */
const READ_PAUSE_MS = 20

it('a client that reads slowly and steadily receives the complete answer', async () => {
  let bytes = 0
  let tail = ''
  const socket: Socket = connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    onread: {
      buffer: new Uint8Array(READ_BYTES),
      callback: (count, buffer) => {
        bytes += count
        tail = (tail + Buffer.from(buffer.subarray(0, count)).toString('latin1')).slice(-1000)
        setTimeout(() => socket.resume(), READ_PAUSE_MS)
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
  // The connection stays open after the response, so the last chunk marks the end.
  await expect
    .poll(() => tail.endsWith('\r\n0\r\n\r\n') || socket.closed, { timeout: 60_000 })
    .toBe(true)
  expect(Date.now() - began).toBeGreaterThan(3 * 3000)
  expect(tail.includes('"resultType":"complete"')).toBe(true)
  expect(bytes).toBeGreaterThan(BYTES)
})
