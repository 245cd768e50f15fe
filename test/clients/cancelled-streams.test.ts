/**
 * How often clients ask for the rest of a cancelled call. Its stream ends without a result, so a client
 * resumes it, and must be refused.
 */
// features: auth
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { connectClient, STREAMABLE_KINDS } from './connect-client.ts'
import { eventually } from './eventually.ts'
import { openRecordingProxy } from './recording-proxy.ts'
import type { RecordedRequest } from './wire.ts'

const CALLS = [1, 2, 3]

/** Cancels calls one after the other, each when the client was refused the rest of the one before. */
async function cancelCalls(
  call: (signal: AbortSignal) => Promise<unknown>,
  requests: readonly RecordedRequest[],
): Promise<void> {
  const started = () => requests.filter(({ body }) => body.includes('"name":"never"')).length
  const resumes = () =>
    requests.flatMap(({ method, headers, status }) => {
      const lastEventId = headers.get('last-event-id')
      return method === 'GET' && lastEventId !== null ? [{ lastEventId, status }] : []
    })
  for (const count of CALLS) {
    const controller = new AbortController()
    const cancelled = expect(call(controller.signal)).rejects.toThrow('aborted by the test')
    await eventually(started).toBe(count)
    controller.abort(new Error('aborted by the test'))
    await cancelled
    await eventually(() => resumes().filter(({ status }) => status === 405).length).toBe(count)
  }
  // The first streams have had the time of several retries.
  for (const { lastEventId } of resumes()) {
    const ofStream = resumes().filter((get) => get.lastEventId === lastEventId)
    expect(ofStream.length).toBeLessThanOrEqual(2)
  }
}

describe.each(STREAMABLE_KINDS)('the official client %s', (kind) => {
  test('asks at most twice for the rest of a cancelled call', async () => {
    const { wire, call } = await connectClient(kind)
    await cancelCalls((signal) => call('never', {}, { signal }), wire.exchanges)
  })
})

describe('mcp-remote', () => {
  test('asks at most twice for the rest of a cancelled call', async () => {
    const { url, requests } = await openRecordingProxy(inject('fixtureUrl'))
    const directory = mkdtempSync(join(tmpdir(), 'edgeway-mcp-remote-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const entry = createRequire(import.meta.url).resolve('mcp-remote/package.json')
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(dirname(entry), 'dist/proxy.js'), url, '--allow-http'],
      env: { PATH: process.env.PATH ?? '', MCP_REMOTE_CONFIG_DIR: directory, HOME: directory },
      stderr: 'ignore',
    })
    const client = new Client({ name: 'edgeway-mcp-remote-test', version: '1.0.0' })
    onTestFinished(() => client.close())
    await client.connect(transport)
    await cancelCalls(
      (signal) => client.callTool({ name: 'never', arguments: {} }, undefined, { signal }),
      requests,
    )
  })
})
