/** The protected fixture server of a test file, and the apps that its tests start. */
import { afterEach } from 'vitest'
import { type ClientApp, type ClientAppOptions, startClientApp } from './client-app.ts'
import { useFixtureServer } from './fixture-server.ts'

export interface ProtectedServer {
  readonly issuer: string
  /** Starts an app, which is stopped after the test. */
  startApp(options?: Partial<ClientAppOptions>): Promise<ClientApp>
}

/** Starts the server before the first test of the file and stops it after the last. */
export function useProtectedServer(): ProtectedServer {
  const apps: ClientApp[] = []
  const server = useFixtureServer({ protected: true })
  const issuerOf = () => new URL(server.url).origin
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
