/** Serving a Worker in plain workerd for as long as this process lives: the body of `npm run serve:*`. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bundleWorker } from './bundle.ts'
import { onParentGone } from './parent.ts'
import { renderWorkerdConfig } from './workerd-config.ts'
import { startWorkerd, type WorkerdProcess } from './workerd-process.ts'

export interface ServeOptions {
  readonly configPath: string
  /** 0 for any free one. */
  readonly port: number
  /** Kept between runs; without it, state goes when the server goes. */
  readonly stateDirectory: string | undefined
  readonly vars: Readonly<Record<string, string>>
  /** Where every outgoing request goes; undefined lets nothing out. */
  readonly egress?: string | undefined
  /** Printed when ready, beside what is known of the process. */
  readonly announce: Readonly<Record<string, unknown>>
}

const READY_DEADLINE_MS = 15_000
const READY_POLL_MS = 20

/**
 * Serves until told to stop or until workerd ends, and exits with its code. Prints one line of JSON
 * when requests are answered. A server nobody waits for any more stops by itself.
 */
export async function serve(options: ServeOptions): Promise<never> {
  const directory = await mkdtemp(join(tmpdir(), 'edgeway-serve-'))
  let code = 1
  try {
    const bundle = await bundleWorker(options.configPath)
    const stateDirectory = resolve(options.stateDirectory ?? join(directory, 'state'))
    await mkdir(stateDirectory, { recursive: true })
    const configPath = join(directory, 'config.capnp')
    const { vars, egress } = options
    await writeFile(configPath, renderWorkerdConfig({ bundle, vars, stateDirectory, egress }))
    for (const { name, source } of bundle.modules) await writeFile(join(directory, name), source)
    const workerd = await startWorkerd(directory, options.port)
    code = await untilEnd(workerd, options)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  process.exit(code)
}

async function untilEnd(workerd: WorkerdProcess, { announce }: ServeOptions): Promise<number> {
  const stopRequested = new Promise<'stop'>((resolve) => {
    const stop = () => resolve('stop')
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
    onParentGone(stop)
  })
  const ended = Promise.race([stopRequested, workerd.exited])
  const origin = `http://127.0.0.1:${workerd.port}`
  const ready = waitUntilReady(origin).then(() => {
    const line = { url: `${origin}/mcp`, pid: workerd.pid, ...announce }
    process.stdout.write(`${JSON.stringify(line)}\n`)
    return ended
  })
  try {
    const end = await Promise.race([ready, ended])
    return end === 'stop' ? 0 : end
  } finally {
    await workerd.stop()
  }
}

async function waitUntilReady(origin: string): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS
  let last = 'no answer'
  while (Date.now() < deadline) {
    try {
      const { status } = await fetch(origin, { signal: AbortSignal.timeout(READY_DEADLINE_MS) })
      if (status === 200) return
      last = `status ${status}`
    } catch (error) {
      last = String(error)
    }
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
  throw new Error(`The server does not answer GET / with 200 (${last})`)
}
