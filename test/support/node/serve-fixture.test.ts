/** `npm run serve:fixture` as a process: what it keeps, how it ends, and what it refuses. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startFixtureServer } from './fixture-server.ts'

const SCRIPT = join(import.meta.dirname, '../../../scripts/serve-fixture.ts')

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code]) => ({ code, stderr }))
  const announced = once(child.stdout.setEncoding('utf8'), 'data').then(([line]) =>
    JSON.parse(line),
  )
  return { child, ended, announced }
}

/** A process that has ended but that nobody has reaped answers signals still, so it is asked for a page. */
async function isServing(url: string): Promise<boolean> {
  const response = await fetch(new URL('/', url)).catch(() => undefined)
  return response?.status === 200
}

async function count(url: string): Promise<unknown> {
  const params = { name: 'count', arguments: { name: 'restarts' } }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = (await response.json()) as { result: { structuredContent: unknown } }
  return result.structuredContent
}

test('prints one line with where it is, which process it is, and its limits', async () => {
  const { child, announced, ended } = start('--port', '0')
  const { url, pid, limits } = await announced
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
  expect(pid).toBeTypeOf('number')
  expect(limits).toMatchObject({ bodyBytes: 4_194_304, handlerTimeoutMs: 300_000 })
  expect(await isServing(url)).toBe(true)
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
  expect(await isServing(url)).toBe(false)
})

test('keeps its state over a kill, in the directory it is given', async () => {
  const state = await mkdtemp(join(tmpdir(), 'edgeway-state-'))
  onTestFinished(() => rm(state, { recursive: true, force: true }))
  for (const value of [1, 2, 3]) {
    const server = await startFixtureServer({ state })
    expect(await count(server.url)).toEqual({ value })
    process.kill(server.pid, 'SIGKILL')
    await server.stop()
  }
  expect((await readdir(join(state, 'do'))).sort()).toEqual([
    'edgeway-fixture-McpHub',
    'edgeway-fixture-McpKeyring',
    'edgeway-fixture-McpSession',
    'edgeway-fixture-Probes',
  ])
})

test('ends with the code of a workerd that was killed', async () => {
  const { announced, ended } = start('--port', '0')
  process.kill((await announced).pid, 'SIGKILL')
  expect((await ended).code).toBe(137)
})

test('takes workerd along when it is killed itself', async () => {
  const { child, announced } = start('--port', '0')
  const { url } = await announced
  child.kill('SIGKILL')
  await expect.poll(() => isServing(url), { timeout: 5000 }).toBe(false)
})

test('refuses a port that is taken', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  onTestFinished(() => {
    holder.close()
  })
  const address = holder.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const { code, stderr } = await start('--port', port).ended
  expect(code).toBe(1)
  expect(stderr).toContain('Address already in use')
})

test.each([
  { args: [], says: '--port takes a number' },
  { args: ['--port', 'abc'], says: '--port takes a number' },
  { args: ['--port', '65536'], says: '--port takes a number' },
  { args: ['--port', '0', '--state='], says: '--state takes a directory' },
  { args: ['--port', '0', '--bogus'], says: "Unknown option '--bogus'" },
])('refuses $args', async ({ args, says }) => {
  const { code, stderr } = await start(...args).ended
  expect(code).toBe(2)
  expect(stderr).toContain(says)
  expect(stderr).toContain('usage: npm run serve:fixture')
})
