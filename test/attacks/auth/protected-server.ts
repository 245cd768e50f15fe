/** A protected server as its own process, started through the script that people use, or one beside it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ProtectedServer {
  readonly issuer: string
  /** Everything the server has written for its operator so far. */
  log(): string
  stop(): Promise<void>
}

export interface ProtectedServerOptions {
  readonly short?: boolean
  readonly upstream?: string
  readonly egress?: string
  /** A folder to persist under. */
  readonly state?: string
}

const SCRIPTS = join(import.meta.dirname, '../../../scripts')

export function startProtectedServer({
  short = false,
  upstream,
  egress,
  state,
}: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  return start(join(SCRIPTS, 'serve-protected.ts'), [
    ...['--port', '0'],
    ...(short ? ['--short'] : []),
    ...(upstream === undefined ? [] : ['--upstream', upstream]),
    ...(egress === undefined ? [] : ['--egress', egress]),
    ...(state === undefined ? [] : ['--state', state]),
  ])
}

/** The deployment of `deployment/`: an author's own clients, a trusted provider, perhaps no passphrase. */
export function startDeployment(egress: string, passphrase: string): Promise<ProtectedServer> {
  return start(join(import.meta.dirname, 'deployment/serve.ts'), [egress, passphrase])
}

async function start(script: string, args: readonly string[]): Promise<ProtectedServer> {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const exited = once(child, 'exit')
  if (child.stdout === null) throw new Error('The server has no output')
  const lines = createInterface(child.stdout)
  const line = await Promise.race([once(lines, 'line'), exited.then(() => undefined)])
  if (line === undefined) throw new Error(`The server did not start\n${log}`)
  const { issuer } = JSON.parse(line[0])
  return {
    issuer,
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
