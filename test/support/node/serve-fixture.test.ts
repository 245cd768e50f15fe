/** The scripts behind `npm run serve:fixture` and `npm run serve:protected`, as processes. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signInAsOwner } from './http-client.ts'
import { startScript } from './serve-script.ts'

function start(...args: readonly string[]) {
  return startScript('serve-fixture.ts', ...args)
}

/** Requests a page. A signal would not do, because it also reaches a process that is not reaped yet. */
async function isServing(url: string): Promise<boolean> {
  const response = await fetch(new URL('/', url)).catch(() => undefined)
  return response?.status === 200
}

async function count(url: string): Promise<unknown> {
  const params = { name: 'count', arguments: { name: 'restarts' } }
  const { structuredContent } = await send(url, 'tools/call', params)
  return structuredContent
}

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
async function send(url: string, method: string, params: object, more: object = {}): Promise<any> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...more,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = (await response.json()) as { result: unknown }
  return result
}

describe('the script of the fixture server', () => {
  it('prints its URL, process id and limits, and exits with 0 after SIGTERM', async () => {
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

  it('persists state in the directory of --state when workerd is killed', async () => {
    const state = await mkdtemp(join(tmpdir(), 'edgeway-state-'))
    onTestFinished(() => rm(state, { recursive: true, force: true }))
    for (const value of [1, 2, 3]) {
      const { announced, ended } = start('--port', '0', '--state', state)
      const { url, pid } = await announced
      expect(await count(url)).toEqual({ value })
      process.kill(pid, 'SIGKILL')
      await ended
    }
    expect((await readdir(join(state, 'do'))).sort()).toEqual([
      'edgeway-fixture-McpObjects',
      'edgeway-fixture-Probes',
      'edgeway-fixture-Ticker',
    ])
  })

  it('exits with 137 and does not start another workerd when workerd is killed', async () => {
    const { announced, ended } = start('--port', '0')
    const { url, pid } = await announced
    process.kill(pid, 'SIGKILL')
    expect((await ended).code).toBe(137)
    expect(await isServing(url)).toBe(false)
  })

  it('leaves no workerd behind when it is killed itself', async () => {
    const { child, announced } = start('--port', '0')
    const { url } = await announced
    child.kill('SIGKILL')
    await expect.poll(() => isServing(url)).toBe(false)
  })

  it('writes every telemetry event to its standard output with --telemetry', async () => {
    const { child, announced, ended, lines } = start('--port', '0', '--telemetry')
    const { url } = await announced
    expect((await fetch(url, { method: 'POST', body: '{' })).status).toBe(415)
    const refusal = expect.objectContaining({ type: 'refusal', status: 415 })
    await expect.poll(() => lines.slice(1)).toContainEqual(refusal)
    child.kill('SIGTERM')
    const { stderr } = await ended
    expect(stderr).not.toContain('telemetry')
  })

  it('exits with 2 and prints its usage for a flag that it does not have', async () => {
    const { code, stderr } = await start('--port', '0', '--bogus').ended
    expect(code).toBe(2)
    expect(stderr).toContain("Unknown option '--bogus'")
    expect(stderr).toContain('usage: npm run serve:fixture')
  })
})

describe('the script of the protected server', () => {
  it('prints its issuer, and serves the tools of its flags with a token', async () => {
    const flags = ['--variant', 'b', '--code']
    const { child, announced, ended } = startScript('serve-protected.ts', '--port', '0', ...flags)
    const { url, issuer, limits } = await announced
    expect(url).toBe(`${issuer}/mcp`)
    expect(limits).toMatchObject({ bodyBytes: 4_194_304, accessTtlMs: 86_400_000 })
    const authorization = `Bearer ${await signInAsOwner(url, ['read'])}`
    const { tools } = await send(url, 'tools/list', {}, { authorization })
    const names = tools.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['added_in_b', 'emit_note', 'execute']))
    expect(names).not.toContain('unicode')
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })
})
