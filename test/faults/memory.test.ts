/**
 * Memory of the Worker's process while it serves the bodies that take the most. A Worker has 128 MB.
 * Each body meets a process of its own: the heap of a used one has room that hides its growth.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PROJECT_DIRECTORY } from '../../scripts/support/project.ts'
import { type LoggedServer, startLoggedServer } from '../support/node/fixture-server.ts'
import { HOSTILE_BODIES, HOSTILE_SESSION_BODIES } from './hostile-bodies.ts'
import { peakMegabytes, residentMegabytes } from './sessions/memory.ts'

/** Maximum growth of the process. */
const MEGABYTES = 64

/** Small calls before the measurement, so that the code is compiled and the heap has its usual size. */
const WARM_UP_CALLS = 50

const SMALL_CALL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}'

async function start(): Promise<LoggedServer> {
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/memory/wrangler.toml')
  const server = await startLoggedServer({ configPath, port: 0, vars: {} })
  onTestFinished(() => server.stop())
  return server
}

async function send(
  { url }: LoggedServer,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  })
  // Read to the end: the memory of the answer counts too.
  for await (const _ of response.body ?? []) {
    // Discarded.
  }
  return response
}

/** Sends the body to a warm process and returns its status and the growth of the process at its peak. */
async function measure(
  server: LoggedServer,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly growth: number }> {
  for (let count = 0; count < WARM_UP_CALLS; count++) {
    await send(server, SMALL_CALL, { ...headers, 'mcp-protocol-version': '2025-03-26' })
  }
  const before = await residentMegabytes(server.pid)
  // Resets the peak. @see https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
  await writeFile(`/proc/${server.pid}/clear_refs`, '5')
  const { status } = await send(server, body, headers)
  return { status, growth: (await peakMegabytes(server.pid)) - before }
}

describe('one hostile body', () => {
  it.each(HOSTILE_BODIES)('with $name grows the process by less than 64 MB', async (hostile) => {
    const server = await start()
    const { status, growth } = await measure(server, hostile.body, hostile.headers)
    expect(status).toBe(hostile.status)
    expect(growth).toBeLessThan(MEGABYTES)
  })

  it.each(HOSTILE_SESSION_BODIES)(
    'with $name in a session grows the process by less than 64 MB',
    async ({ body, status: expected }) => {
      const server = await start()
      const params = {
        protocolVersion: '2025-03-26',
        capabilities: {},
        clientInfo: { name: 'test', version: '1.0.0' },
      }
      const handshake = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
      const opened = await send(server, JSON.stringify(handshake), {})
      const sessionId = String(opened.headers.get('mcp-session-id'))
      const headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-03-26' }
      const { status, growth } = await measure(server, body, headers)
      expect(status).toBe(expected)
      expect(growth).toBeLessThan(MEGABYTES)
    },
  )
})
