/** A server that keeps its storage when it is killed and started again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import {
  type FixtureServerOptions,
  type LoggedServer,
  startFixtureServer,
  startLoggedServer,
} from '../../support/node/fixture-server.ts'

interface Options
  extends Pick<FixtureServerOptions, 'short' | 'protected' | 'callbackOrigins' | 'challenge'> {
  /** The `wrangler.toml` of another Worker than the fixture servers. */
  readonly configPath?: string
  /** The variables of that Worker. */
  readonly vars?: Readonly<Record<string, string>>
}

function start(
  { configPath, vars = {}, ...options }: Options,
  state: string,
  port: number,
): Promise<LoggedServer> {
  return configPath === undefined
    ? startFixtureServer({ ...options, state, port })
    : startLoggedServer({ configPath, port, state, vars })
}

export class PersistentServer {
  readonly #state: string
  readonly #options: Options
  #current: LoggedServer

  private constructor(state: string, options: Options, current: LoggedServer) {
    this.#state = state
    this.#options = options
    this.#current = current
  }

  /** @param atEnd receives a function that stops the server and deletes its storage */
  static async start(
    atEnd: (dispose: () => Promise<void>) => void,
    options: Options = {},
  ): Promise<PersistentServer> {
    const state = await mkdtemp(join(tmpdir(), 'edgeway-sessions-'))
    const current = await start(options, state, await findFreePort())
    const server = new PersistentServer(state, options, current)
    atEnd(async () => {
      await server.#current.stop()
      await rm(state, { recursive: true, force: true })
    })
    return server
  }

  get url(): string {
    return this.#current.url
  }

  /** The process id of workerd. */
  get pid(): number {
    return this.#current.pid
  }

  /** The log output since the last start. */
  get log(): string {
    return this.#current.log()
  }

  async kill(): Promise<void> {
    process.kill(this.#current.pid, 'SIGKILL')
    await this.#current.stop()
  }

  /** Starts the server on the same storage, and on the same address if `samePort` is set. */
  async startAgain({ samePort = false } = {}): Promise<string> {
    const port = samePort ? Number(new URL(this.#current.url).port) : await findFreePort()
    this.#current = await start(this.#options, this.#state, port)
    return this.#current.url
  }

  async restart(): Promise<string> {
    await this.kill()
    return this.startAgain()
  }
}
