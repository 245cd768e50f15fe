/** The scripts behind `npm run serve:fixture` and `npm run serve:protected`, as processes. */
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MODERN } from '../../../src/protocol/revisions.ts'
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

/** Opens a subscription, which stays open. */
async function listen(url: string, token: string, id: number): Promise<Response> {
  const method = 'subscriptions/listen'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN.id,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications: { toolsListChanged: true }, _meta }
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': MODERN.id,
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  })
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

  it('serves tools that search and call with --discovery search, beside those of --pin', async () => {
    const pins = ['--pin', 'echo', '--pin', 'count']
    const { child, announced } = start('--port', '0', '--discovery', 'search', ...pins)
    const { url } = await announced
    const { tools } = await send(url, 'tools/list', {})
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'echo',
      'count',
      // It waits for calls of any tool.
      'get_result',
      'search_tools',
      'call_tool',
      'call_read_tool',
    ])
    const args = { name: 'count', arguments: { name: 'called' } }
    const called = await send(url, 'tools/call', { name: 'call_tool', arguments: args })
    expect(called.structuredContent).toEqual({ value: 1 })
    child.kill('SIGTERM')
  })

  it.each([
    ['serve-fixture.ts', [], ['unicode', 'emit_note', 'get_result']],
    ['serve-fixture.ts', ['--variant', 'b'], ['added_in_b', 'emit_note', 'get_result']],
    [
      'serve-fixture.ts',
      ['--code', '--wait-tool'],
      ['unicode', 'emit_note', 'get_result', 'wait_for_event', 'execute'],
    ],
    [
      'serve-protected.ts',
      ['--variant', 'b', '--code'],
      ['added_in_b', 'emit_note', 'get_result', 'execute'],
    ],
  ])('%s %j serves the tools %j', async (script, flags, expected) => {
    const { child, announced } = startScript(script, '--port', '0', ...flags)
    const { url } = await announced
    const isProtected = script === 'serve-protected.ts'
    const headers = isProtected
      ? { authorization: `Bearer ${await signInAsOwner(url, ['read'])}` }
      : undefined
    const { tools } = await send(url, 'tools/list', {}, headers)
    const names = tools.map(({ name }: { name: string }) => name)
    const told = ['unicode', 'added_in_b', 'emit_note', 'get_result', 'wait_for_event', 'execute']
    expect(told.filter((name) => names.includes(name))).toEqual(expected)
    child.kill('SIGTERM')
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

  it('exits with 1 when the port is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    onTestFinished(() => {
      holder.close()
    })
    const address = holder.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const { code, stderr } = await start('--port', port).ended
    expect(code).toBe(1)
    expect(stderr).toContain(`workerd did not start on 127.0.0.1:${port}`)
    expect(stderr).toContain('Address already in use')
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

  it('answers 400 with the reason to a body of /probe/deliver that is no delivery', async () => {
    const { child, announced, ended } = start('--port', '0')
    const { url } = await announced
    const taskId = 'made-up'
    const answers: unknown[] = []
    for (const body of [
      '',
      'text',
      '{"taskId":',
      'null',
      '[]',
      '"text"',
      '{}',
      JSON.stringify({ taskId: 1, key: 'event', value: true }),
      JSON.stringify({ taskId, value: true }),
      JSON.stringify({ taskId, key: 'two words', value: true }),
      JSON.stringify({ taskId, key: 'event' }),
      JSON.stringify({ taskId, key: 'event', value: true }),
    ]) {
      const response = await fetch(new URL('/probe/deliver', url), { method: 'POST', body })
      const { message } = (await response.json()) as { message: string }
      answers.push([response.status, message.replace(/[.] A delivery is .*/, '')])
    }
    expect(answers).toEqual([
      [400, 'The body is empty'],
      [400, 'The body is not JSON'],
      [400, 'The body is not JSON'],
      [400, 'The body is not an object'],
      [400, 'The body is not an object'],
      [400, 'The body is not an object'],
      [400, 'taskId must be a string'],
      [400, 'taskId must be a string'],
      [400, 'key must be 1 to 64 of the characters A-Z a-z 0-9 _ - .'],
      [400, 'key must be 1 to 64 of the characters A-Z a-z 0-9 _ - .'],
      [400, 'value is missing'],
      [409, 'There is no such task, or it has expired'],
    ])
    child.kill('SIGTERM')
    await ended
  })

  it.each([
    { args: [], says: '--port takes a number' },
    { args: ['--port', 'abc'], says: '--port takes a number' },
    { args: ['--port', '65536'], says: '--port takes a number' },
    { args: ['--port', '0', '--state='], says: '--state takes a directory' },
    { args: ['--port', '0', '--state', import.meta.filename], says: '--state takes a directory' },
    { args: ['--port', '0', '--egress', 'localhost:9000'], says: '--egress takes a URL such as' },
    { args: ['--port', '0', '--discovery', 'list'], says: '--discovery takes search' },
    { args: ['--port', '0', '--pin', 'echo'], says: '--pin NAME needs --discovery search' },
    { args: ['--port', '0', '--variant', 'c'], says: '--variant takes b' },
    { args: ['--port', '0', '--bogus'], says: "Unknown option '--bogus'" },
  ])('exits with 2 and prints its usage for the arguments $args', async ({ args, says }) => {
    const { code, stderr } = await start(...args).ended
    expect(code).toBe(2)
    expect(stderr).toContain(says)
    expect(stderr).toContain('usage: npm run serve:fixture')
  })
})

describe('the script of the protected server', () => {
  it('prints its issuer, which is the origin of its URL', async () => {
    const { child, announced, ended } = startScript('serve-protected.ts', '--port', '0')
    const { url, issuer, limits } = await announced
    expect(url).toBe(`${issuer}/mcp`)
    expect(limits).toMatchObject({ bodyBytes: 4_194_304, accessTtlMs: 86_400_000 })
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  it('keeps the default limit of listeners for each subject', async () => {
    const { child, announced, ended } = startScript('serve-protected.ts', '--port', '0')
    const { url } = await announced
    const token = await signInAsOwner(url, ['read'])
    // All are kept: the stream of a response that is collected as garbage is closed.
    const responses: Response[] = []
    for (let id = 1; id <= 101; id++) responses.push(await listen(url, token, id))
    expect(responses.map(({ status }) => status)).toEqual([...Array(100).fill(200), 429])
    child.kill('SIGTERM')
    await ended
  })

  it('exits with 2 for an --egress that is not a URL', async () => {
    const { code, stderr } = await startScript('serve-protected.ts', '--egress', 'x', '--port', '0')
      .ended
    expect(code).toBe(2)
    expect(stderr).toContain('--egress takes a URL')
  })
})
