/** More messages and bytes than a session keeps, and what it stores of a request. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PersistentServer } from '../../faults/sessions/persistent-server.ts'
import { HttpSession } from '../../support/http-session.ts'
import { readMessage, SseReader } from '../../support/sse-reader.ts'
import { outcomeOf } from '../outcome.ts'
import { countRows } from './stored-rows.ts'

let server: PersistentServer
beforeAll(async () => {
  server = await PersistentServer.start()
})
afterAll(() => server?.stop())

/** Builds a batch, whose requests share one stream. */
function batchOf(name: string, ...args: readonly object[]): object[] {
  return args.map((args, id) => {
    const params = { name, arguments: args, _meta: { progressToken: id } }
    return { jsonrpc: '2.0', id, method: 'tools/call', params }
  })
}

/** Searches every file of the state. SQLite may delete one of its own meanwhile. */
async function storedCanaries(directory: string): Promise<Set<string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = files.map(({ parentPath, name }) =>
    readFile(join(parentPath, name), 'latin1').catch((error) => {
      if (error.code === 'ENOENT') return ''
      throw error
    }),
  )
  return new Set((await Promise.all(texts)).join('\n').match(/canary-[a-z0-9]+/g))
}

describe('a batch whose notifications exceed its log before the client reads', () => {
  const message = 'x'.repeat(500_000)
  it.each<[string, object[]]>([
    [
      '2,000 progress notifications',
      batchOf('progress', { count: 1000, gapMs: 0 }, { count: 1000, gapMs: 0 }),
    ],
    [
      '2 MB of log messages',
      batchOf('log', ...Array.from({ length: 4 }, () => ({ level: 'error', message }))),
    ],
  ])('still receives every answer after %s', async (_, batch) => {
    const session = await HttpSession.open(server, { version: '2025-03-26' })
    const reader = new SseReader(await session.fetch('POST', batch))
    const answers = (await reader.rest()).filter(({ result }) => result !== undefined)
    expect(answers.map(outcomeOf)).toEqual(batch.map(() => 'done'))
  })
})

it('a stream delivers an answer of 8 MB, and delivers it again to a client that resumes', async () => {
  const session = await HttpSession.open(server)
  const headers = { accept: 'text/event-stream' }
  const first = await session.streamTool('big', { bytes: 8_000_000 }, { headers })
  expect(outcomeOf(await first.message())).toHaveLength(8_000_000)
  const again = await session.listen(first.ids[0])
  expect(outcomeOf(await again.message())).toHaveLength(8_000_000)
})

it('a session is served while another one is flooded with calls', async () => {
  const flooded = await HttpSession.open(server)
  const other = await HttpSession.open(server)
  const flood = Array.from({ length: 60 }, async () => {
    for (let call = 0; call < 3; call++) {
      await readMessage(
        await flooded.callTool('progress', { count: 50, gapMs: 0 }, { progressToken: 1 }),
      )
    }
  })
  expect((await other.send('ping')).status).toBe(200)
  const echo = await readMessage(await other.callTool('echo', { text: 'still served' }))
  expect(outcomeOf(echo)).toBe('still served')
  await Promise.all(flood)
})

it('a waiting call stores no credential of its request', async () => {
  const session = await HttpSession.open(server)
  const headers = {
    authorization: 'Bearer canary-1a',
    cookie: 'session=canary-1b',
    'proxy-authorization': 'Basic canary-1c',
    'x-api-key': 'canary-1d',
    'cf-access-jwt-assertion': 'canary-1e',
    'cf-access-client-secret': 'canary-1f',
  }
  const before = countRows(server, 'runs')
  const call = await session.streamTool('ask_count', { name: 'canary-kept' }, { headers })
  await call.message()
  expect(countRows(server, 'runs')).toBe(before + 1)
  expect(await storedCanaries(server.directory)).toEqual(new Set(['canary-kept']))
  await call.leave()
})
