/** Writes a new server with the packed packages, and runs its scripts, as a person does in a terminal. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { OTHER_PATHS } from './find-node.ts'

export interface Shell {
  /** Runs a command and returns its output. @throws {Error} with the output when it fails */
  readonly run: (directory: string, command: string, ...args: readonly string[]) => Promise<string>
  /** Runs `npm run dev` until it answers. */
  readonly serve: (directory: string, onOutput?: (text: string) => void) => Promise<Serving>
}

export interface Serving {
  readonly url: string
  /** What it has printed. */
  readonly output: () => string
  readonly stop: () => Promise<void>
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** The tarballs of the packages `edgeway` and `create-edgeway`. */
export interface Tarballs {
  readonly edgeway: string
  readonly createEdgeway: string
}

/**
 * The environment of commands that run on this Node, without the settings of the test runner and of `npm run`. The
 * configuration of the machine stays: the npm of another Node looks for it elsewhere, and may not reach the registry
 * without.
 */
export function environmentOf(node: string): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_(?!config_globalconfig$)|VITEST|NODE_|INIT_CWD)/.test(name),
    ),
  )
  return { ...env, PATH: `${dirname(node)}:${OTHER_PATHS}`, NO_COLOR: '1' }
}

export function shellOf(node: string): Shell {
  const env = environmentOf(node)
  return {
    run: (cwd, command, ...args) => run(cwd, env, command, args),
    serve: (cwd, onOutput) => serve(cwd, env, onOutput),
  }
}

/** `npm create edgeway <args>`, with the packed packages instead of the published ones. */
export function npmCreate({ edgeway, createEdgeway }: Tarballs, ...args: readonly string[]) {
  const packages = [`--package=${edgeway}`, `--package=${createEdgeway}`]
  return ['npm', 'exec', '--yes', ...packages, '--', 'create-edgeway', ...args] as const
}

function run(
  cwd: string,
  env: NodeJS.ProcessEnv,
  command: string,
  args: readonly string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${command} ${args.join(' ')} failed\n${stdout}\n${stderr}`))
    }).stdin?.end()
  })
}

async function serve(
  cwd: string,
  env: NodeJS.ProcessEnv,
  onOutput: (text: string) => void = () => undefined,
): Promise<Serving> {
  const port = await findFreePort()
  const args = ['run', 'dev', '--', '--port', String(port), '--ip', '127.0.0.1']
  // A group of its own, so that npm, its shell, wrangler and workerd end together.
  const child = spawn('npm', args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      onOutput(text)
    })
  }
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}/mcp`
  while (!(await answers(new URL('/', url)))) {
    if (child.exitCode !== null) throw new Error(`npm run dev ended\n${output}`)
    await sleep(200)
  }
  const stop = async () => {
    const isRunning = child.exitCode === null && child.signalCode === null
    if (isRunning && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  return { url, output: () => output, stop }
}

async function answers(url: URL): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    // Not listening yet.
    return false
  }
}
