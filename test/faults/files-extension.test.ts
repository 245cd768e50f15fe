/** A file that a client sends by `io.modelcontextprotocol/files` to a server that is killed before the call goes on. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { FILES_EXTENSION } from '../../src/protocol/files-extension.ts'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'

const BYTES = 'a,b\n1,2\n'
/** The digest of these bytes. */
const SHA_256 = 'SS1epJYFbxpqZZIkEDL6t2TDIVljF5MLT6Dh6Lw7dHA'

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
async function call({ url }: FixtureServer, params: Record<string, unknown>): Promise<any> {
  const extensions = { [FILES_EXTENSION]: { upload: {}, download: {} } }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': String(params.name),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...params, _meta },
    }),
  })
  return ((await response.json()) as { result: unknown }).result
}

it('take_file receives a file that was sent before the server was killed, and give_file returns one', async () => {
  const state = await mkdtemp(join(tmpdir(), 'edgeway-state-'))
  onTestFinished(() => rm(state, { recursive: true, force: true }))
  const start = () => startFixtureServer({ state, filesExtension: true })
  const first = await start()
  const file = {
    id: 'file-1',
    name: 'list.csv',
    mimeType: 'text/csv',
    size: BYTES.length,
    digest: { algorithm: 'sha-256', value: SHA_256 },
  }
  const params = { name: 'take_file', arguments: { note: 'n', file } }
  const { uploads, requestState } = await call(first, params)
  const { status } = await fetch(uploads[0].url, { method: 'PUT', body: BYTES })
  expect(status).toBe(201)
  process.kill(first.pid, 'SIGKILL')
  await first.stop()
  const second = await start()
  onTestFinished(() => second.stop())
  const { structuredContent } = await call(second, { ...params, requestState })
  const { name, mimeType, size: bytes } = file
  const sha256 = Buffer.from(SHA_256, 'base64url').toString('hex')
  expect(structuredContent).toEqual({ name, mimeType, bytes, sha256, note: 'n' })
  const given = await call(second, { name: 'give_file', arguments: { bytes: 1000 } })
  const [target] = given.content[0]._meta[FILES_EXTENSION].downloads
  expect((await (await fetch(target.url)).arrayBuffer()).byteLength).toBe(1000)
})
