/** One workerd process: started on a port, told to stop, and never left behind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { SOCKET } from './workerd-config.ts'

/** The binary for this platform. The package is CommonJS without types. */
const workerdPath: string = createRequire(import.meta.url)('workerd').default

export interface WorkerdProcess {
  readonly pid: number
  readonly port: number
  /** How it ended: its exit code, or 128 and the signal's number, as shells put it. */
  readonly exited: Promise<number>
  /** Asks it to finish what it is doing, waits a moment, then insists. */
  stop(): Promise<void>
}

/** Open streams keep workerd from ending by itself, so what is still open after this is cut. */
const STOP_GRACE_MS = 1000

/**
 * Becomes workerd, after leaving behind a watcher that reads from a pipe whose other end this
 * process holds: when this process is gone, however it went, the pipe closes, workerd is killed and
 * its directory removed.
 */
const WATCHED = `
  directory=$1; shift
  exec 4<&0 </dev/null
  ( exec 3>&- >/dev/null 2>&1; cat <&4; kill -KILL $$; rm -rf "$directory" ) &
  exec 4<&-
  exec "$@"
`

/**
 * Starts workerd on 127.0.0.1 and resolves once it listens. What it writes goes to stderr.
 *
 * @param directory of `config.capnp` and its modules; it is removed in the end
 * @param port 0 for any free one
 * @throws {Error} when it ends before it listens, such as for a port that is taken
 */
export async function startWorkerd(directory: string, port: number): Promise<WorkerdProcess> {
  const configPath = join(directory, 'config.capnp')
  const args = ['serve', configPath, '--control-fd=3', `--socket-addr=${SOCKET}=127.0.0.1:${port}`]
  const child = spawn('sh', ['-c', WATCHED, 'sh', directory, workerdPath, ...args], {
    stdio: ['pipe', 2, 2, 'pipe'],
  })
  const exited = once(child, 'exit').then(([code, signal]) => exitCode(code, signal))
  const control = child.stdio[3] as Readable
  const listening = await Promise.race([readPort(control), exited.then(() => undefined)])
  const { pid } = child
  if (listening === undefined || pid === undefined) {
    throw new Error(`workerd did not start on 127.0.0.1:${port} (exit code ${await exited})`)
  }
  return {
    pid,
    port: listening,
    exited,
    stop: async () => {
      child.kill('SIGTERM')
      const insist = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
      await exited
      clearTimeout(insist)
    },
  }
}

/** Reads the control channel until it names the port; undefined when it closes without. */
async function readPort(control: Readable): Promise<number | undefined> {
  for await (const line of createInterface(control)) {
    const { event, socket, port } = JSON.parse(line)
    if (event === 'listen' && socket === SOCKET) return port
  }
  return undefined
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

function exitCode(code: number | null, signal: string | null): number {
  return code ?? 128 + (SIGNAL_NUMBERS[signal ?? ''] ?? 0)
}
