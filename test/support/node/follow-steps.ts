/** Follows the steps of a skill in a folder, as an agent with a shell does. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort, isFree } from '../../../scripts/support/free-port.ts'
import type { Step } from './skill-steps.ts'

/** The port that the skills name. */
const PORT = 8787

/** The port that the steps run with: that of the skills, or another one where it is in use. */
export const choosePort = async () => ((await isFree(PORT)) ? PORT : findFreePort())

export interface Outcome {
  readonly code: number
  readonly output: string
}

export interface Follower {
  /** Writes a file, or runs the lines of a block in the folder that the last one has left. */
  readonly follow: (step: Step) => Promise<Outcome>
  /** The URL of the server that the last command has started. */
  readonly url: string
  /** The folder in which the next command runs. */
  readonly directory: () => string
  /** Ends the server. */
  readonly stop: () => Promise<void>
}

/** Commands that serve until they are ended. */
const SERVES = /^(?:npm run dev|npx wrangler dev)\b/

export function createFollower(folder: string, given: NodeJS.ProcessEnv, port: number): Follower {
  // A test of the same process may have silenced wrangler, whose output people read.
  const { WRANGLER_LOG: _, ...env } = given
  const withPort = (text: string) => text.replaceAll(String(PORT), String(port))
  const url = `http://localhost:${port}/mcp`
  let directory = folder
  let stop = async () => {}

  async function runBlock(text: string): Promise<Outcome> {
    const marker = 'directory of the next command: '
    const script = `${withPort(text)}\nprintf '\\n%s\\n' "${marker}$PWD"`
    const { code, output } = await run(script, directory, env)
    const [, left = directory] = new RegExp(`^${marker}(.*)$`, 'm').exec(output) ?? []
    directory = left
    return { code, output }
  }

  return {
    url,
    directory: () => directory,
    stop: () => stop(),
    follow: async (step) => {
      if (step.kind === 'file') {
        const file = join(directory, step.path)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, withPort(step.text))
        return { code: 0, output: '' }
      }
      if (!SERVES.test(step.text)) return runBlock(step.text)
      await stop()
      while (!(await isFree(port))) await sleep(100)
      rewrite(join(directory, 'wrangler.jsonc'), withPort)
      const serving = await serve(withPort(step.text), url, directory, env)
      stop = serving.stop
      return { code: 0, output: '' }
    },
  }
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

function run(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 }
    execFile('sh', ['-e', '-c', script], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1)
      resolve({ code, output: `${stdout}\n${stderr}` })
    }).stdin?.end()
  })
}

async function serve(
  command: string,
  url: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly stop: () => Promise<void> }> {
  // A group of its own, so that npm, its shell, wrangler and workerd end together.
  const child = spawn('sh', ['-c', command], { cwd, env, detached: true, stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'exit')
  const stop = async () => {
    const isRunning = child.exitCode === null && child.signalCode === null
    if (isRunning && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${command} ended\n${output}`)
    await sleep(200)
  }
  return { stop }
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: 'OPTIONS' })
    return true
  } catch {
    // Not listening yet.
    return false
  }
}
