/**
 * Memory of the Worker's process while the file of an argument is downloaded. The host of the download is played by the
 * proxy of all outgoing requests. `large-files.test.ts` does the same for uploads.
 */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { PROJECT_DIRECTORY } from '../../scripts/support/project.ts'
import { startLoggedServer } from '../support/node/fixture-server.ts'
import { openClient } from '../support/node/http-client.ts'
import { peakMegabytes, residentMegabytes } from './sessions/memory.ts'

const MEGABYTE = 1_000_000

/** Size of the file in megabytes: more than the process may grow. */
const SIZE = 150

/** Size of a first file, which fills the room that the heaps give to garbage before they collect it. */
const WARM_UP = 32

/** Maximum growth of the process by the second file, of any size. */
const GROWTH = 100

const CHUNK = Buffer.alloc(MEGABYTE)

/** Sends as many megabytes as the last segment of the path says. */
async function startHost(): Promise<string> {
  const host = createServer((request, response) => {
    const megabytes = Number(String(request.headers['x-original-url']).split('/').at(-1))
    Readable.from(Array.from({ length: megabytes }, () => CHUNK)).pipe(response)
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  onTestFinished(() => {
    host.closeAllConnections()
    host.close()
  })
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`
}

it(`a file of ${SIZE} MB is downloaded for a tool while the process grows by less than ${GROWTH} MB`, async () => {
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/memory/wrangler.toml')
  const egress = await startHost()
  // The bucket forgets what it takes: its bytes would be in the process.
  const vars = { GENERATED_BUCKET: 'true' }
  const server = await startLoggedServer({ configPath, port: 0, vars, egress })
  onTestFinished(() => server.stop())
  const client = await openClient(server.url)
  const take = async (megabytes: number) => {
    const download_url = `https://files.example.com/${megabytes}`
    const { text } = await client.callTool('take', { data: { download_url, file_id: 'file_1' } })
    expect(text).toBe(String(megabytes * MEGABYTE))
  }
  await take(WARM_UP)
  const before = await residentMegabytes(server.pid)
  // Resets the peak. @see https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
  await writeFile(`/proc/${server.pid}/clear_refs`, '5')
  await take(SIZE)
  expect((await peakMegabytes(server.pid)) - before).toBeLessThan(GROWTH)
})
