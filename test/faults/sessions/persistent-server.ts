/** A server that keeps its storage when it is killed and started again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import type { DirectEgress } from '../../../scripts/support/server.ts'
import {
  type FixtureServerOptions,
  type LoggedServer,
  startFixtureServer,
  startLoggedServer,
} from '../../support/node/fixture-server.ts'

export interface PersistentServerOptions
  extends Pick<
    FixtureServerOptions,
    'short' | 'protected' | 'variant' | 'patch' | 'callbackOrigins' | 'challenge' | 'services'
  > {
  /** The `wrangler.toml` of another Worker than the fixture servers. */
  readonly configPath?: string
  /** The variables of that Worker. */
  readonly vars?: Readonly<Record<string, string>>
  /** What that Worker may send. */
  readonly egress?: DirectEgress
}

function start(
  { configPath, vars = {}, egress, ...options }: PersistentServerOptions,
  state: string,
  port: number,
): Promise<LoggedServer> {
  return configPath === undefined
    ? startFixtureServer({ ...options, state, port })
    : startLoggedServer({ configPath, port, state, vars, egress })
}

export class PersistentServer {
  /** The state directory. */
  readonly directory: string
  readonly #options: PersistentServerOptions
  #current: LoggedServer

  private constructor(directory: string, options: PersistentServerOptions, current: LoggedServer) {
    this.directory = directory
    this.#options = options
    this.#current = current
  }

  /** @param atEnd receives {@link stop}, for a caller that does not call it itself */
  static async start(
    atEnd?: (stop: () => Promise<void>) => void,
    options: PersistentServerOptions = {},
  ): Promise<PersistentServer> {
    const directory = await mkdtemp(join(tmpdir(), 'edgeway-sessions-'))
    const current = await start(options, directory, await findFreePort())
    const server = new PersistentServer(directory, options, current)
    atEnd?.(() => server.stop())
    return server
  }

  /** Stops the server and deletes its storage. */
  async stop(): Promise<void> {
    await this.#current.stop()
    await rm(this.directory, { recursive: true, force: true })
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
  async startAgain({
    samePort = false,
    ...changes
  }: { readonly samePort?: boolean } & Pick<FixtureServerOptions, 'patch' | 'variant'> = {}) {
    const port = samePort ? Number(new URL(this.#current.url).port) : await findFreePort()
    this.#current = await start({ ...this.#options, ...changes }, this.directory, port)
    return this.#current.url
  }

  async restart(): Promise<string> {
    await this.kill()
    return this.startAgain()
  }
}
