/** Serves a Worker for the lifetime of this process: the body of `npm run serve:*`. */
import { TELEMETRY_PREFIX } from '../../test/fixtures/telemetry-line.ts'
import { onParentExit } from './parent.ts'
import { type ServerOptions, startServer } from './server.ts'

export interface ServeOptions extends Omit<ServerOptions, 'onLog'> {
  /** Printed when the server is ready, beside `url` and `pid`. */
  readonly announce: {
    readonly limits: Readonly<Record<string, number>>
    readonly issuer?: string
    /** The version of the recorded release that is served. */
    readonly release?: string
  }
}

/**
 * Serves until a signal arrives, the parent process exits or workerd exits. Prints one line of JSON
 * when the server is ready. The exit code is 0 after a signal, otherwise that of workerd.
 */
export async function serve(create: () => ServeOptions | Promise<ServeOptions>): Promise<never> {
  // Registered before the listeners of miniflare, which exit with 128 and the number of the signal.
  const exit = () => process.exit(0)
  process.once('SIGTERM', exit)
  process.once('SIGINT', exit)
  onParentExit(exit)
  try {
    const { announce, ...options } = await create()
    const early: string[] = []
    let isReady = false
    // Telemetry begins while the Worker starts, and is written after the line that says it is ready.
    const onLog = (text: string) => {
      if (!text.startsWith(TELEMETRY_PREFIX)) process.stderr.write(text)
      else if (isReady) process.stdout.write(text.slice(TELEMETRY_PREFIX.length))
      else early.push(text)
    }
    const { url, pid, exited } = await startServer({ ...options, onLog })
    process.stdout.write(`${JSON.stringify({ url, pid, ...announce })}\n`)
    isReady = true
    for (const text of early) onLog(text)
    return process.exit(await exited)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return process.exit(1)
  }
}
