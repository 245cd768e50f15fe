/** The fixture server as its own process, started through the same script that people use. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface FixtureServer {
  /** The MCP endpoint. */
  readonly url: string
  /** Of workerd, to kill it from outside. */
  readonly pid: number
  /** The limits in force. */
  readonly limits: Readonly<Record<string, number>>
  /** Everything the server has written for its operator so far. */
  log(): string
  stop(): Promise<void>
}

export interface FixtureServerOptions {
  /** 0, the default, for any free one. */
  readonly port?: number
  readonly state?: string
  readonly short?: boolean
  /** Behind its own authorization server, which is the origin of the endpoint. */
  readonly protected?: boolean
  /** Where every outgoing request of a protected server goes; without it nothing goes out. */
  readonly egress?: string
  /** The OpenID provider that people sign in at on a protected server, instead of a passphrase. */
  readonly upstream?: string
}

const SCRIPTS = join(import.meta.dirname, '../../../scripts')

/** Resolves once the server answers. */
export async function startFixtureServer({
  port = 0,
  state,
  short = false,
  protected: isProtected = false,
  egress,
  upstream,
}: FixtureServerOptions = {}): Promise<FixtureServer> {
  const script = join(SCRIPTS, isProtected ? 'serve-protected.ts' : 'serve-fixture.ts')
  const values = Object.entries({ port: String(port), state, egress, upstream })
  const args = values.flatMap(([name, value]) => (value ? [`--${name}`, value] : []))
  const child = spawn(process.execPath, [script, ...args, ...(short ? ['--short'] : [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout)
  const line = await Promise.race([once(lines, 'line'), exited.then(() => undefined)])
  if (line === undefined) throw new Error(`The fixture server did not start\n${log}`)
  return {
    ...JSON.parse(line[0]),
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
