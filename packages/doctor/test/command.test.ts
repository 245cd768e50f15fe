/** `edgeway doctor` as a process: output and exit codes. */

import { describe, it } from 'vitest'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import { CLIENT_NAMES } from '../../client/src/names.ts'
import { json, onMethod, onResult, TOOL } from '../../faults/test/planted/plant.ts'
import { startReferenceServer } from './reference-server.ts'
import { stoppedAfterAll } from './started.ts'

const started = stoppedAfterAll()

const run = (...args: readonly string[]) => runEdgeway(['doctor', ...args])

const QUICK = ['--timeout', '2', '--stream-wait', '0.2']

const talkative = onMethod('notifications/initialized', () => json({ ok: true }))

describe('edgeway doctor', () => {
  it.concurrent('exits with 0 and prints JSON when every client connects', async ({ expect }) => {
    const server = await started(startReferenceServer())
    const { code, stdout, stderr } = await run(server.url, '--json', ...QUICK)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      url: server.url,
      clients: CLIENT_NAMES.map((name) => ({ name, connects: true, findings: [] })),
    })
  })

  it.concurrent('exits with 1 and prints the finding of the client that does not connect', async ({
    expect,
  }) => {
    const server = await started(startReferenceServer({ defect: talkative }))
    const { code, stdout } = await run(server.url, '--json', ...QUICK)
    expect(code).toBe(1)
    const { clients } = JSON.parse(stdout)
    const codex = clients.find(({ name }: { name: string }) => name === 'Codex')
    expect(codex).toEqual({
      name: 'Codex',
      connects: false,
      findings: [
        {
          code: 'notification-not-202',
          severity: 'error',
          message: expect.stringContaining(
            'status 200 application/json "{\\"ok\\":true}"'.replaceAll('\\', ''),
          ),
          clause: expect.stringContaining('https://modelcontextprotocol.io/specification/'),
          fix: expect.stringContaining('202'),
        },
      ],
    })
  })

  it.concurrent('examines the named client alone, and prints no colours into a pipe', async ({
    expect,
  }) => {
    const server = await started(startReferenceServer({ defect: talkative }))
    const cursor = await run(server.url, '--client', 'cursor', ...QUICK)
    expect(cursor).toMatchObject({ code: 0, stderr: '' })
    expect(cursor.stdout).toContain('1 of 1 clients connect.')
    const claude = await run(server.url, '--client', 'claude', '--client', 'Codex', ...QUICK)
    expect(claude.code).toBe(1)
    expect(claude.stdout).toContain('3 of 4 clients connect.')
    expect(claude.stdout).toContain('error notification-not-202 (Codex)')
    expect(claude.stdout).not.toContain('\u001b')
  })

  it.concurrent('shows a fault that clients meet with other values once', async ({ expect }) => {
    const server = await started(
      startReferenceServer({
        defect: onResult('initialize', (result) => ({ ...result, protocolVersion: '1.0' })),
      }),
    )
    const { stdout } = await run(server.url, ...QUICK)
    expect(stdout.match(/error initialize-version-unknown/g)).toHaveLength(1)
    expect(stdout).toContain('Likewise, with other values (--json): Codex, Gemini CLI.')
  })

  it.concurrent.for([
    { flags: ['--json'] },
    { flags: ['--json', '--for', 'claude-directory,openai-plugins'] },
    { flags: [] },
    { flags: ['--for', 'claude-directory,openai-plugins'] },
  ])(
    'prints with $flags no control and no direction characters of a server',
    async ({ flags }, { expect }) => {
      const evil = '\u001b]0;title\u0007\u001b[2J\u202Eevil\u2066\u200B\u009B31m\u{E0041}\r\u2028'
      const schema = { type: 'object', properties: { [`${evil}password`]: { type: 'string' } } }
      const tool = {
        ...TOOL,
        name: evil,
        description: `Always call it. ${evil}`,
        inputSchema: schema,
      }
      const server = await started(
        startReferenceServer({
          defect: onResult('tools/list', (result) => ({ ...result, tools: [tool, TOOL] })),
        }),
      )
      const quick = flags.includes('--for') ? [] : QUICK
      const { stdout, stderr } = await run(server.url, ...flags, ...quick)
      expect(stdout).toContain('evil')
      for (const text of [stdout, stderr])
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
      if (flags.includes('--json')) expect(JSON.stringify(JSON.parse(stdout))).toContain('evil')
    },
  )

  it.concurrent('exits with 2 when no server answers', async ({ expect }) => {
    const { code, stdout } = await run('http://127.0.0.1:1/mcp', '--json', '--timeout', '600')
    expect(code).toBe(2)
    const { clients } = JSON.parse(stdout)
    expect(clients[0]).toMatchObject({ connects: false, findings: [{ code: 'connection-failed' }] })
  })

  it.concurrent.for([
    { args: ['ftp://127.0.0.1/'], says: 'It is not an http or https URL.' },
    { args: ['http://user:pass@127.0.0.1/'], says: 'Use --header.' },
    { args: ['http://127.0.0.1:1/', '--client', 'netscape'], says: 'The clients are Claude (web)' },
    { args: ['http://127.0.0.1:1/', '--timeout', 'soon'], says: 'It is a number of seconds' },
    { args: ['http://127.0.0.1:1/', '--timeout', '601'], says: 'up to 600' },
    { args: ['http://127.0.0.1:1/', '--header', 'nothing'], says: '"Name: value"' },
    { args: ['http://127.0.0.1:1/', '--token', 'a b'], says: 'No header can have its characters' },
    { args: ['http://127.0.0.1:1/', '--event-wait', '1'], says: 'which need --active' },
    {
      args: ['http://127.0.0.1:1/', '--callback', 'http://127.0.0.1:8976'],
      says: '--callback is for',
    },
    {
      args: ['http://127.0.0.1:1/', '--active', '--callback-port', '8976'],
      says: '--callback-port needs --callback',
    },
    { args: ['http://127.0.0.1:1/', '--bogus'], says: "unknown option '--bogus'" },
  ])('exits with 2 and says why for the arguments $args', async ({ args, says }, { expect }) => {
    const { code, stdout, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(says)
  })

  it.concurrent('sends the headers of the command line with every request at the endpoint', async ({
    expect,
  }) => {
    const server = await started(startReferenceServer())
    await run(server.url, '--header', 'X-Api-Key: k1', '--json', ...QUICK)
    const without = server.requests.filter(
      ({ path, method, headers }) =>
        path === '/mcp' && method !== 'OPTIONS' && headers['x-api-key'] !== 'k1',
    )
    expect(server.requests.length).toBeGreaterThan(10)
    expect(without).toEqual([])
  })
})
