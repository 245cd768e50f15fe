/** The protected fixture server, and the deployment of `deployment/`. */
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { ProtectedSettings } from '../../../scripts/support/fixture-servers.ts'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { startFixtureServer, startLoggedServer } from '../../support/node/fixture-server.ts'

export interface ProtectedServer {
  readonly issuer: string
  /** All log output of the server so far. */
  log(): string
  stop(): Promise<void>
}

export async function startProtectedServer(
  options: Partial<ProtectedSettings> = {},
): Promise<ProtectedServer> {
  const { url, log, stop } = await startFixtureServer({ ...options, protected: true })
  return { issuer: new URL(url).origin, log, stop }
}

/** Starts a server for the tests of a file, and stops it after them. It has no issuer before. */
export function serveProtected(): Omit<ProtectedServer, 'stop'> {
  let server: ProtectedServer
  beforeAll(async () => {
    server = await startProtectedServer()
  })
  afterAll(() => server?.stop())
  return {
    get issuer() {
      return server.issuer
    },
    log: () => server.log(),
  }
}

/** Starts the deployment, with configured clients and a trusted provider. An empty passphrase sets none. */
export async function startDeployment(
  egress: string,
  passphrase: string,
): Promise<ProtectedServer> {
  const port = await findFreePort()
  const issuer = `http://127.0.0.1:${port}`
  const { log, stop } = await startLoggedServer({
    configPath: join(import.meta.dirname, 'deployment/wrangler.toml'),
    port,
    vars: { EDGEWAY_ORIGIN: issuer, EDGEWAY_PASSPHRASE: passphrase },
    egress,
  })
  return { issuer, log, stop }
}
