/** Starts a command that serves until it is ended, as a person does in a terminal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Program {
  /** What it has printed. */
  readonly output: () => string
  /** Ends it with all programs that it has started. */
  readonly stop: () => Promise<void>
}

export interface ServeOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onOutput?: ((text: string) => void) | undefined
  readonly readyAt: {
    readonly url: string | URL
    readonly method?: string
    /** Whether a response says that it serves; any response if undefined. */
    readonly accepts?: (response: Response) => boolean
  }
}

/** A server that has not answered after this time does not start. */
const START_LIMIT_MS = 180_000
const ANSWER_LIMIT_MS = 10_000

/** @throws {Error} with the output when it ends, or does not answer in three minutes */
export async function serveUntilReady(
  command: string,
  { cwd, env, onOutput = () => undefined, readyAt }: ServeOptions,
): Promise<Program> {
  // A group of its own, so that npm, its shell, wrangler and workerd end together.
  const child = spawn('sh', ['-c', command], {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      onOutput(text)
    })
  }
  const ended = once(child, 'exit')
  const stop = async () => {
    const isRunning = child.exitCode === null && child.signalCode === null
    if (isRunning && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  const end = Date.now() + START_LIMIT_MS
  while (!(await answers(readyAt))) {
    if (child.exitCode !== null) throw new Error(`${command} ended\n${output}`)
    if (Date.now() > end) {
      await stop()
      throw new Error(`${command} does not answer at ${readyAt.url}\n${output}`)
    }
    await sleep(200)
  }
  return { output: () => output, stop }
}

async function answers({ url, method = 'GET', accepts }: ServeOptions['readyAt']) {
  try {
    const response = await fetch(url, { method, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) })
    return accepts?.(response) ?? true
  } catch {
    // Not listening yet, or not done with the start.
    return false
  }
}
