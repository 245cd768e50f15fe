/**
 * `--public`: serves a development server at a public address, through the Cloudflare Tunnel of `wrangler dev`.
 *
 * The address is known only when the tunnel runs, and a server needs it as `EDGEWAY_ORIGIN`. So wrangler reads a file of
 * variables, which gets the address, and reads it again when its configuration is touched. The tunnel stays meanwhile.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** What wrangler keeps of its own, and what git ignores. */
const VARIABLES = '.wrangler/edgeway-public.vars'

const SECRETS = '.dev.vars'

const ADDRESSES = /Sharing via Cloudflare Tunnel:\s+(https:\/\/[^\s/]+)/

export interface PublicOptions {
  /** The configuration of wrangler. */
  readonly configuration: string
  /** Options of `wrangler dev`, such as `--tunnel-name` and `--port`, without `--public`. */
  readonly args: readonly string[]
  /** The name under which clients add the server. */
  readonly name: string
}

/** Starts `wrangler dev`, and prints how clients connect as soon as the address is known. */
export function startPublic({ configuration, args, name }: PublicOptions): ChildProcess {
  const folder = dirname(configuration)
  const passphrase = passphraseOf(join(folder, SECRETS))
  const variables = join(folder, VARIABLES)
  write(variables, { EDGEWAY_PASSPHRASE: passphrase.text })
  const files = [...(existsSync(join(folder, SECRETS)) ? [SECRETS] : []), VARIABLES]
  const child = spawn(
    'wrangler',
    [
      'dev',
      ...['--tunnel', '--upstream-protocol', 'https'],
      ...files.flatMap((file) => ['--env-file', file]),
      ...args,
    ],
    // Nothing of a development server is open here: neither the inspector nor a sign-in without the passphrase.
    { stdio: ['inherit', 'pipe', 'inherit'], shell: process.platform === 'win32' },
  )
  let seen = ''
  let origin: string | undefined
  child.stdout?.on('data', (part: Buffer) => {
    process.stdout.write(part)
    if (origin !== undefined) return
    seen += stripVTControlCharacters(String(part))
    origin = ADDRESSES.exec(seen)?.[1]
    if (origin === undefined) return
    write(variables, { EDGEWAY_ORIGIN: origin, EDGEWAY_PASSPHRASE: passphrase.text })
    const now = new Date()
    utimesSync(configuration, now, now)
    process.stdout.write(linesFor({ origin, name, passphrase, args }))
  })
  return child
}

interface Passphrase {
  readonly text: string
  /** Whether it was made here, so that only this output has it. */
  readonly isNew: boolean
}

/** That of the project, or a new one: at a public address the owner does not sign in without. */
function passphraseOf(file: string): Passphrase {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [, own = ''] = /^EDGEWAY_PASSPHRASE=["']?([^"'\r\n]+)/m.exec(text) ?? []
  return own === ''
    ? { text: randomBytes(15).toString('base64url'), isNew: true }
    : { text: own, isNew: false }
}

function write(file: string, variables: Readonly<Record<string, string>>): void {
  mkdirSync(dirname(file), { recursive: true })
  const lines = Object.entries(variables).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}\n`,
  )
  writeFileSync(file, lines.join(''), { mode: 0o600 })
}

interface Shown extends Pick<PublicOptions, 'name' | 'args'> {
  readonly origin: string
  readonly passphrase: Passphrase
}

function linesFor({ origin, name, passphrase, args }: Shown): string {
  const url = `${origin}/mcp`
  const named = args.some((each) => each.startsWith('--tunnel-name'))
  const shown = passphrase.isNew ? passphrase.text : `EDGEWAY_PASSPHRASE of ${SECRETS}`
  return `
  MCP endpoint  ${url}
  Passphrase    ${shown}

  claude.ai     Settings → Connectors → Add custom connector: ${url}
  ChatGPT       Settings → Apps & Connectors → Create: ${url}
  Claude Code   claude mcp add --transport http ${name} ${url}

  Everyone who has the address can reach this server until it is ended.
${
  named
    ? ''
    : '  The address is another one at the next start. A quick tunnel passes no streams on: progress, list changes and questions of\n  sessions need --tunnel-name NAME, which keeps the address too.\n'
}
`
}
