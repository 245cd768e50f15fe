/** The fixture server of a file of tests. */
import { afterAll, beforeAll } from 'vitest'
import {
  type FixtureServer,
  type FixtureServerOptions,
  startFixtureServer,
} from '../support/node/fixture-server.ts'

/** Starts a server before the tests, and stops it after them. */
export function useFixtureServer(options: FixtureServerOptions = {}): { readonly url: string } {
  let server: FixtureServer | undefined
  beforeAll(async () => {
    server = await startFixtureServer(options)
  })
  afterAll(async () => {
    await server?.stop()
  })
  return {
    get url() {
      if (server === undefined) throw new Error('The server has not started: use it within a test')
      return server.url
    },
  }
}
