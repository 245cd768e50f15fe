/** Serves a Worker for the lifetime of this process: the body of `npm run serve:*`. */
import { onParentExit } from './parent.ts'
import { type ServerOptions, startServer } from './server.ts'

export interface ServeOptions extends Omit<ServerOptions, 'onLog'> {
  /** Printed when the server is ready, beside `url` and `pid`. */
  readonly announce: {
    readonly limits: Readonly<Record<string, number>>
    readonly issuer?: string
  }
}

/**
 * Serves until a signal arrives, the parent process exits or workerd exits. Prints one line of JSON
 * when the server is ready. The exit code is 0 after a signal, otherwise that of workerd.
 */
export async function serve({ announce, ...options }: ServeOptions): Promise<never> {
  // Registered before the listeners of miniflare, which exit with 128 and the number of the signal.
  const exit = () => process.exit(0)
  process.once('SIGTERM', exit)
  process.once('SIGINT', exit)
  onParentExit(exit)
  try {
    const onLog = (text: string) => process.stderr.write(text)
    const { url, pid, exited } = await startServer({ ...options, onLog })
    process.stdout.write(`${JSON.stringify({ url, pid, ...announce })}\n`)
    return process.exit(await exited)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return process.exit(1)
  }
}
