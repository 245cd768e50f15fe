/** Tests `edgeway dev`, and the doctor at the server that it serves. `test/tarball` runs both in a new server. */
// features: all
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'

const EDGEWAY = resolve(import.meta.dirname, '../src/edgeway.ts')
const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-dev-'))
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(TEMPORARY, 'case-'))
})

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

describe('edgeway doctor without a URL, in the folder of a project', () => {
  it.each([
    ['wrangler.jsonc', '{ "dev": { "port": 1 } }', []],
    ['wrangler.jsonc', '{\n  // "port": 2\n  "dev": { "port": 1 }\n}', []],
    ['wrangler.toml', '[dev]\nport = 1', []],
    ['wrangler.jsonc', '{ "dev": { "port": 2 } }', ['--port', '1']],
  ] as const)('examines the port of %s %j with %j', async (file, text, args) => {
    writeFileSync(join(folder, file), text)
    const { code, stdout } = await runEdgeway(['doctor', '--json', ...args], { cwd: folder })
    expect([code, JSON.parse(stdout).url]).toEqual([2, 'http://localhost:1/mcp'])
  })

  it('refuses a port beside a URL, and a folder without a configuration', async () => {
    const refused = async (...args: readonly string[]) => {
      const { code, stderr } = await runEdgeway(['doctor', ...args], { cwd: folder })
      return [code, stderr.split('\n')[0]]
    }
    expect(await refused('http://localhost:1/mcp', '--port', '1')).toEqual([
      2,
      'error: --port is for edgeway dev, and a URL has its own',
    ])
    expect(await refused()).toEqual([2, "error: missing required argument 'url'"])
  })
})

describe('edgeway dev', () => {
  it('passes its options to wrangler, with the condition that brings the inspector', () => {
    mkdirSync(join(folder, 'bin'))
    const wrangler = '#!/bin/sh\necho "$WRANGLER_BUILD_CONDITIONS $@"\n'
    writeFileSync(join(folder, 'bin/wrangler'), wrangler, { mode: 0o755 })
    const stdout = execFileSync(process.execPath, [EDGEWAY, 'dev', '--port', '1', '--ip', '::1'], {
      cwd: folder,
      env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
      encoding: 'utf8',
    })
    expect(stdout.trim()).toMatch(
      /^workerd,worker,browser,edgeway-development dev --var EDGEWAY_ORIGIN:development --var EDGEWAY_VIEWS:http:\/\/127\.0\.0\.1:\d+\/[\w-]{36} --port 1 --ip ::1$/,
    )
  })

  it('starts nothing where another program serves the port', async () => {
    const other = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin/wrangler'), '#!/bin/sh\necho started\n', { mode: 0o755 })
    const { port } = other.address() as AddressInfo
    writeFileSync(join(folder, 'wrangler.jsonc'), `{ "dev": { "port": ${port} } }`)
    const child = spawn(process.execPath, [EDGEWAY, 'dev'], {
      cwd: folder,
      env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    })
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part) => output.push(String(part)))
    }
    expect(await once(child, 'close')).toEqual([1, null])
    expect(output.join('').trim()).toBe(
      `Another program serves http://localhost:${port}. End it, or choose another port: npm run dev -- --port 8788`,
    )
  })
})

describe('edgeway dev --public', () => {
  /** A program in the place of wrangler, which says its options, and then the address of its tunnel. */
  const wrangler = `#!/bin/sh
echo "dev conditions: $WRANGLER_BUILD_CONDITIONS"
echo "$@"
printf '\\033[32m\\342\\254\\243 Sharing via Cloudflare Tunnel: https://one-two.trycloudflare.com/\\033[39m\\n'
sleep 1
cat .wrangler/edgeway-public.vars
`

  it.each([
    [
      'a new passphrase',
      undefined,
      /Passphrase {4}[\w-]{20}\n/,
      /^EDGEWAY_PASSPHRASE="[\w-]{20}"$/m,
    ],
    [
      'that of the project',
      'EDGEWAY_PASSPHRASE=own-words\n',
      /Passphrase {4}EDGEWAY_PASSPHRASE of \.dev\.vars/,
      /^EDGEWAY_PASSPHRASE="own-words"$/m,
    ],
  ] as const)('serves the address of the tunnel with %s', (_, vars, shown, passed) => {
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin/wrangler'), wrangler, { mode: 0o755 })
    writeFileSync(join(folder, 'wrangler.jsonc'), '{ "dev": { "port": 1 } }')
    writeFileSync(join(folder, 'package.json'), '{ "name": "dice" }')
    if (vars !== undefined) writeFileSync(join(folder, '.dev.vars'), vars)
    const before = statSync(join(folder, 'wrangler.jsonc')).mtimeMs
    const stdout = execFileSync(process.execPath, [EDGEWAY, 'dev', '--public', '--port', '1'], {
      cwd: folder,
      env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
      encoding: 'utf8',
    })
    const secrets = vars === undefined ? '' : '--env-file .dev.vars '
    expect(stdout).toContain(
      `dev --tunnel --upstream-protocol https ${secrets}--env-file .wrangler/edgeway-public.vars --port 1\n`,
    )
    expect(stdout).toContain('dev conditions: \n')
    expect(stdout).toContain(
      'claude mcp add --transport http dice https://one-two.trycloudflare.com/mcp',
    )
    expect(stdout).toMatch(shown)
    expect(stdout).toMatch(/^EDGEWAY_ORIGIN="https:\/\/one-two\.trycloudflare\.com"$/m)
    expect(stdout).toMatch(passed)
    expect(statSync(join(folder, 'wrangler.jsonc')).mtimeMs).toBeGreaterThan(before)
  })
})

describe('edgeway dev whose npm was killed', () => {
  it('ends wrangler', async () => {
    mkdirSync(join(folder, 'bin'))
    const wrangler = `#!/bin/sh
trap 'touch ended; exit' TERM
touch started
while :; do sleep 0.1; done
`
    writeFileSync(join(folder, 'bin/wrangler'), wrangler, { mode: 0o755 })
    writeFileSync(join(folder, 'wrangler.jsonc'), '{ "dev": { "port": 1 } }')
    const script = `"${process.execPath}" "${EDGEWAY}" dev; true`
    const npm = spawn('sh', ['-c', script], {
      cwd: folder,
      env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
      stdio: 'ignore',
    })
    await expect.poll(() => existsSync(join(folder, 'started')), { timeout: 20_000 }).toBe(true)
    npm.kill('SIGKILL')
    await expect.poll(() => existsSync(join(folder, 'ended')), { timeout: 20_000 }).toBe(true)
  })
})
