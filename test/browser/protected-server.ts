/** The protected fixture server of a test file, and the apps that its tests start. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { type ClientApp, type ClientAppOptions, startClientApp } from './client-app.ts'

export interface ProtectedServer {
  readonly issuer: string
  /** Starts an app, which is stopped after the test. */
  startApp(options?: Partial<ClientAppOptions>): Promise<ClientApp>
}

/** Starts the server before the first test of the file and stops it after the last. */
export function useProtectedServer(): ProtectedServer {
  const apps: ClientApp[] = []
  let server: FixtureServer | undefined
  const issuerOf = () => {
    if (server === undefined) throw new Error('The server has not started: use it within a test')
    return new URL(server.url).origin
  }
  beforeAll(async () => {
    server = await startFixtureServer({ protected: true })
  })
  afterAll(() => server?.stop())
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.stop()
  })
  return {
    get issuer() {
      return issuerOf()
    },
    async startApp(options = {}) {
      const app = await startClientApp({ issuer: issuerOf(), ...options })
      apps.push(app)
      return app
    },
  }
}
