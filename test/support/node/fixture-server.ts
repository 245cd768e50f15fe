/** Fixture servers for tests. Each is a workerd process of its own. */

import { bundleWorker } from '../../../scripts/support/bundle.ts'
import type { WorkerBundle } from '../../../scripts/support/bundle-cache.ts'
import {
  fixtureServer,
  type ProtectedSettings,
  protectedServer,
} from '../../../scripts/support/fixture-servers.ts'
import { type Server, type ServerOptions, startServer } from '../../../scripts/support/server.ts'

export interface LoggedServer extends Server {
  /** All log output of the server so far. */
  log(): string
}

export interface FixtureServer extends LoggedServer {
  /** The limits in force. */
  readonly limits: Readonly<Record<string, number>>
}

export interface FixtureServerOptions extends Partial<ProtectedSettings> {
  /** Serves the fixture server behind its own authorization server, whose issuer is the origin. */
  readonly protected?: boolean
  /** Changes the Worker before it is served. */
  readonly patch?: ((bundle: WorkerBundle) => WorkerBundle) | undefined
}

/** Resolves once the server answers. */
export async function startFixtureServer({
  protected: isProtected = false,
  patch,
  ...options
}: FixtureServerOptions = {}): Promise<FixtureServer> {
  const settings = { port: 0, ...options }
  const served = await (isProtected ? protectedServer(settings) : fixtureServer(settings))
  const bundle = patch?.(served.bundle ?? (await bundleWorker(served.configPath))) ?? served.bundle
  return { ...(await startLoggedServer({ ...served, bundle })), limits: served.announce.limits }
}

/** Starts a server whose log output is collected. */
export async function startLoggedServer(
  options: Omit<ServerOptions, 'onLog'>,
): Promise<LoggedServer> {
  let log = ''
  const onLog = (text: string) => {
    log += text
  }
  return { ...(await startServer({ ...options, onLog })), log: () => log }
}
