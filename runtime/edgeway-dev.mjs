#!/usr/bin/env node
/**
 * `npm run dev` of a new server: serves the server on this computer, at `dev.port` of wrangler.jsonc. A mistake that prevents
 * the start, such as a malformed tool, ends wrangler; the next change of a file starts it again.
 * `npm run doctor`: says which clients connect, while `npm run dev` runs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, watch } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const [command, ...args] = process.argv.slice(2)
const [, configured = '8787'] = /"port":\s*(\d+)/.exec(readFileSync('wrangler.jsonc', 'utf8')) ?? []
const options = { port: { type: 'string' } }
const { port = configured } = parseArgs({ args, options, strict: false }).values
const origin = `http://localhost:${port}`
// Those of wrangler, and that with which every app has the inspector: `imports` in package.json of Edgeway.
const WRANGLER_BUILD_CONDITIONS = 'workerd,worker,browser,edgeway-development'
const run = (program, ...rest) =>
  spawn(program, rest, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, WRANGLER_BUILD_CONDITIONS },
  })

let child
let isEnding = false
const hasEnded = () => child.exitCode !== null || child.signalCode !== null
function end(signal) {
  isEnding = true
  // Between two starts there is no program to end.
  if (child === undefined || hasEnded()) process.exit()
  child.kill(signal)
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(signal))
// A program that ends npm does not reach its children, which would keep the port.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) end('SIGTERM')
}, 500).unref()

if (command === 'doctor') {
  child = run('edgeway', 'doctor', `${origin}/mcp`, ...args)
  process.exitCode = (await once(child, 'exit'))[0]
} else {
  while (true) {
    await refuseTakenPort()
    child = run('wrangler', 'dev', '--var', 'EDGEWAY_ORIGIN:development', ...args)
    const exit = once(child, 'exit')
    const ended = new AbortController()
    void printPages(ended.signal)
    const [code] = await exit
    ended.abort()
    if (isEnding || code === 0) process.exit()
    await refuseTakenPort()
    const changed = nextChange()
    process.stdout.write(
      '\nThe server could not start: the first error above says why, and the warnings follow from it. It starts again when src or wrangler.jsonc changes.\n',
    )
    await changed
  }
}

/** The pages of the other program would be printed as those of this server. */
async function refuseTakenPort() {
  if (!(await answers())) return
  process.stderr.write(
    `\nAnother program serves ${origin}. End it, or choose another port: npm run dev -- --port 8788\n`,
  )
  process.exit(1)
}

async function printPages(signal) {
  while (!(await answers())) {
    await sleep(300)
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

async function answers() {
  try {
    await fetch(`${origin}/mcp`, { method: 'OPTIONS' })
    return true
  } catch {
    // Not listening yet.
    return false
  }
}

async function nextChange() {
  const stop = new AbortController()
  await new Promise((resolve) => {
    watch('src', { recursive: true, signal: stop.signal }, resolve)
    watch('wrangler.jsonc', { signal: stop.signal }, resolve)
  })
  stop.abort()
}
