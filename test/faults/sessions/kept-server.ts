/** A server whose state outlives it: killed without warning and started again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'

export class KeptServer {
  readonly #state: string
  readonly #short: boolean
  #current: FixtureServer

  private constructor(state: string, short: boolean, current: FixtureServer) {
    this.#state = state
    this.#short = short
    this.#current = current
  }

  /** @param atEnd given what ends it and forgets all that it kept */
  static async start(
    atEnd: (dispose: () => Promise<void>) => void,
    { short = false }: { readonly short?: boolean } = {},
  ): Promise<KeptServer> {
    const state = await mkdtemp(join(tmpdir(), 'edgeway-sessions-'))
    const server = new KeptServer(state, short, await startFixtureServer({ state, short }))
    atEnd(async () => {
      await server.#current.stop()
      await rm(state, { recursive: true, force: true })
    })
    return server
  }

  get url(): string {
    return this.#current.url
  }

  /** Of workerd. */
  get pid(): number {
    return this.#current.pid
  }

  async kill(): Promise<void> {
    process.kill(this.#current.pid, 'SIGKILL')
    await this.#current.stop()
  }

  /** On the same state; `samePort` where the address is to stay. */
  async startAgain({ samePort = false } = {}): Promise<string> {
    const port = samePort ? Number(new URL(this.#current.url).port) : 0
    this.#current = await startFixtureServer({ state: this.#state, port, short: this.#short })
    return this.#current.url
  }

  async restart(): Promise<string> {
    await this.kill()
    return this.startAgain()
  }
}
