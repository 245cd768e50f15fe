/**
 * Serves the project of the current folder with `wrangler dev`, as a development server with the inspector. A
 * mistake that prevents the start, such as a malformed tool, ends wrangler; the next change of a file starts it again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, watch } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SIGNALS } from '../process-end.ts'
import { configurationFile, localOrigin } from './local-server.ts'
import { startPublic } from './public-server.ts'
import { serveViewBuilder, VIEWS_VARIABLE } from './view-builder.ts'

/** Those of wrangler. With the last one, every app has the inspector: `imports` in `package.json`. */
const CONDITIONS = [
  process.env.WRANGLER_BUILD_CONDITIONS ?? 'workerd,worker,browser',
  'edgeway-development',
].join(',')

/** Before a build of views, which sets `NODE_ENV` here: each start of wrangler has the same. */
const ENVIRONMENT = { ...process.env }

/** How often the parent process is checked, and how often the server is tried that is starting. */
const CHECK_MS = 500
const START_CHECK_MS = 300

let child: ChildProcess | undefined
let isEnding = false

/** @param args options of `wrangler dev` */
export async function serveDevelopment(args: readonly string[]): Promise<number> {
  const port = portOf(args)
  const origin = localOrigin(port)
  endWithParent()
  if (args.includes('--public')) return servePublic(args)
  const views = await serveViewBuilder()
  while (true) {
    if (await isServed(origin)) return refuseTaken(origin)
    const exit = once(startWrangler(args, views), 'exit')
    const ended = new AbortController()
    void printPages(origin, ended.signal)
    const [code] = await exit
    ended.abort()
    if (isEnding || code === 0) return 0
    if (await isServed(origin)) return refuseTaken(origin)
    await nextChange()
  }
}

/** The server of a public address is not started again: a quick tunnel would have another one. */
async function servePublic(args: readonly string[]): Promise<number> {
  const configuration = configurationFile()
  if (configuration === undefined) {
    process.stderr.write('error: --public needs the configuration of wrangler in this folder\n')
    return 2
  }
  const name = existsSync('package.json')
    ? String(JSON.parse(readFileSync('package.json', 'utf8')).name ?? 'my-server')
    : 'my-server'
  const others = args.filter((each) => each !== '--public')
  child = startPublic({ configuration, args: others, name })
  const [code] = await once(child, 'exit')
  return isEnding ? 0 : (code ?? 1)
}

function portOf(args: readonly string[]): number | undefined {
  const options = { port: { type: 'string' } } as const
  const { port } = parseArgs({ args: [...args], options, strict: false }).values
  return typeof port === 'string' ? Number(port) : undefined
}

function startWrangler(args: readonly string[], views: string): ChildProcess {
  const variables = ['EDGEWAY_ORIGIN:development', `${VIEWS_VARIABLE}:${views}`]
  child = spawn('wrangler', ['dev', ...variables.flatMap((each) => ['--var', each]), ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...ENVIRONMENT, WRANGLER_BUILD_CONDITIONS: CONDITIONS, [VIEWS_VARIABLE]: views },
  })
  return child
}

/** Ends wrangler, and this program after it. */
function end(signal: NodeJS.Signals): void {
  isEnding = true
  // Between two starts there is no program to end.
  if (child?.exitCode !== null || child.signalCode !== null) process.exit()
  child.kill(signal)
}

/** A program that ends npm does not reach its children, which would keep the port. */
function endWithParent(): void {
  for (const signal of SIGNALS) {
    // The listener of the command line does not wait for wrangler.
    process.removeAllListeners(signal)
    process.on(signal, () => end(signal))
  }
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) end('SIGTERM')
  }, CHECK_MS).unref()
}

/** The pages of the other program would be printed as those of this server. */
function refuseTaken(origin: string): number {
  process.stderr.write(
    `\nAnother program serves ${origin}. End it, or choose another port: npm run dev -- --port 8788\n`,
  )
  return 1
}

async function printPages(origin: string, signal: AbortSignal): Promise<void> {
  while (!(await isServed(origin))) {
    await sleep(START_CHECK_MS)
    if (signal.aborted) return
  }
  const hasPassphrase =
    existsSync('.dev.vars') && /^EDGEWAY_PASSPHRASE=/m.test(readFileSync('.dev.vars', 'utf8'))
  process.stdout.write(`
  MCP endpoint  ${origin}/mcp
  Inspector     ${origin}/inspect
${hasPassphrase ? '  Passphrase    EDGEWAY_PASSPHRASE in .dev.vars\n' : ''}
`)
}

async function isServed(origin: string): Promise<boolean> {
  try {
    await fetch(`${origin}/mcp`, { method: 'OPTIONS' })
    return true
  } catch {
    // Not listening yet.
    return false
  }
}

async function nextChange(): Promise<void> {
  const watched = ['src', configurationFile() ?? 'package.json'].filter((path) => existsSync(path))
  const stop = new AbortController()
  const changed = new Promise((resolve) => {
    for (const path of watched) {
      watch(path, { recursive: path === 'src', signal: stop.signal }, resolve)
    }
  })
  process.stdout.write(
    `\nThe server could not start: the first error above says why, and the warnings follow from it. It starts again when ${watched.join(' or ')} changes.\n`,
  )
  await changed
  stop.abort()
}
