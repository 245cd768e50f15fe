/** The protected fixture server, shared by the tests of a file. */
import { afterAll, beforeAll } from 'vitest'
import {
  type FixtureServer,
  type FixtureServerOptions,
  startFixtureServer,
} from '../../support/node/fixture-server.ts'

export interface ProtectedServer {
  /** The MCP endpoint. Its origin is the issuer. */
  readonly url: string
  readonly origin: string
  readonly limits: FixtureServer['limits']
  log(): string
}

/** Started before the first test of the file and stopped after the last. */
export function useProtectedServer(
  options: () => Promise<FixtureServerOptions> | FixtureServerOptions = () => ({}),
): ProtectedServer {
  let server: FixtureServer | undefined
  const started = () => {
    if (server === undefined) throw new Error('The server has not started: use it within a test')
    return server
  }
  beforeAll(async () => {
    server = await startFixtureServer({ ...(await options()), protected: true })
  })
  afterAll(() => server?.stop())
  return {
    get url() {
      return started().url
    },
    get origin() {
      return new URL(started().url).origin
    },
    get limits() {
      return started().limits
    },
    log: () => started().log(),
  }
}
