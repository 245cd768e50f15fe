/**
 * Memory of the Worker's process while a large file is uploaded and downloaded. `npm run large-files` does it
 * with 200 MB. The simulator runs the bucket in the same process, where it grows with a file that it returns,
 * so the memory of a download is measured with a bucket that generates its bytes.
 */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PROJECT_DIRECTORY } from '../../scripts/support/project.ts'
import { byteAt } from '../fixtures/memory/generated-bucket.ts'
import { type LoggedServer, startLoggedServer } from '../support/node/fixture-server.ts'
import { peakMegabytes, residentMegabytes } from './sessions/memory.ts'

const MEGABYTE = 1_000_000

/** Size of the file in megabytes. */
const SIZE = Number(process.env.EDGEWAY_FILE_MEGABYTES ?? 32)

/** Size of a first file, which fills the room that the heaps give to garbage before they collect it. */
const WARM_UP = 32

/** Maximum growth of the process by the upload of the second file, of any size. */
const GROWTH = 100

/** Size of the file that is downloaded, whose bytes are not stored. */
const DOWNLOAD_SIZE = Math.max(SIZE, 100)

/** Maximum growth of the process by a download, of any size. */
const DOWNLOAD_GROWTH = 64

const CHUNK = new Uint8Array(MEGABYTE).map((_, index) => byteAt(index))

async function* fileBytes(megabytes: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < megabytes; sent++) yield CHUNK
}

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
}

interface ToolResult {
  readonly content?: readonly { readonly text: string }[]
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly url: string } }>>
  readonly requestState?: string
}

async function callReceive(url: string, round: object = {}): Promise<ToolResult> {
  const params = { name: 'receive', arguments: {}, _meta: META, ...round }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'receive',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (.*"result".*)$/m.exec(text)?.[1] ?? text)
  const { result } = JSON.parse(json) as { readonly result?: ToolResult }
  if (result === undefined) throw new Error(text)
  return result
}

/** Uploads a file. Returns the URL of its download. */
async function upload(url: string, megabytes: number): Promise<string> {
  const { inputRequests = {}, requestState } = await callReceive(url)
  const [[key, { params }] = ['', { params: { url: '' } }]] = Object.entries(inputRequests)
  const body = ReadableStream.from(fileBytes(megabytes))
  const uploaded = await fetch(params.url, { method: 'PUT', body, duplex: 'half' } as RequestInit)
  expect([uploaded.status, await uploaded.text()]).toEqual([201, expect.any(String)])
  const { content } = await callReceive(url, {
    requestState,
    inputResponses: { [key]: { action: 'accept' } },
  })
  return content?.[0]?.text ?? ''
}

async function start(vars: Readonly<Record<string, string>> = {}): Promise<LoggedServer> {
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/memory/wrangler.toml')
  const server = await startLoggedServer({ configPath, port: 0, vars })
  onTestFinished(() => server.stop())
  return server
}

/** Returns the growth of the process at its peak, in megabytes. */
async function growthBy({ pid }: LoggedServer, work: () => Promise<void>): Promise<number> {
  const before = await residentMegabytes(pid)
  // Resets the peak. @see https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
  await writeFile(`/proc/${pid}/clear_refs`, '5')
  await work()
  const growth = (await peakMegabytes(pid)) - before
  if (process.env.EDGEWAY_FILE_MEGABYTES !== undefined) {
    process.stdout.write(`+${Math.round(growth)} MB\n`)
  }
  return growth
}

async function expectWhole(url: string, megabytes: number): Promise<void> {
  const { headers, body } = await fetch(url)
  expect(headers.get('content-length')).toBe(String(megabytes * MEGABYTE))
  const received = body as unknown as AsyncIterable<Uint8Array>
  expect(await digestOf(received)).toBe(await digestOf(fileBytes(megabytes)))
}

describe('a large file', () => {
  it(`of ${SIZE} MB is uploaded while the process grows by less than ${GROWTH} MB, and downloaded as it was`, async () => {
    const server = await start()
    await upload(server.url, WARM_UP)
    let url = ''
    const growth = await growthBy(server, async () => {
      url = await upload(server.url, SIZE)
    })
    await expectWhole(url, SIZE)
    expect(growth).toBeLessThan(GROWTH)
  })

  it(`of ${DOWNLOAD_SIZE} MB is downloaded while the process grows by less than ${DOWNLOAD_GROWTH} MB`, async () => {
    const server = await start({ GENERATED_BUCKET: 'true' })
    await expectWhole(await upload(server.url, WARM_UP), WARM_UP)
    const url = await upload(server.url, DOWNLOAD_SIZE)
    const growth = await growthBy(server, () => expectWhole(url, DOWNLOAD_SIZE))
    expect(growth).toBeLessThan(DOWNLOAD_GROWTH)
  })
})
