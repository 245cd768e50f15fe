/** A fixture server on recorded state, of any version and at any time. */

import type { WorkerBundle } from '../../scripts/support/bundle-cache.ts'
import { CONFIG_PATHS } from '../../scripts/support/fixture-servers.ts'
import type { FixtureName } from '../../scripts/support/release.ts'
import { send } from '../faults/sessions/send.ts'
import { startLoggedServer } from '../support/node/fixture-server.ts'
import { withClock } from './clock.ts'
import { startOutsideWorld } from './outside-world.ts'

/**
 * The origin that clients name. What is sealed or signed for it stays valid at any port, so a server
 * listens on a free one.
 */
export const ORIGIN = 'http://127.0.0.1:8790'

export interface UpgradeServerOptions {
  readonly worker: FixtureName
  /** The state directory. */
  readonly state: string
  readonly versions: Versions
  /** The time at which the server starts, in epoch milliseconds. */
  readonly startsAt: number
  readonly vars?: Readonly<Record<string, string>>
  /** Whether the metadata document of the client with a document can be fetched. Default true. */
  readonly hasDocument?: boolean
}

/** The version of the Worker, and that of objects which run another one. */
export interface Versions {
  readonly worker: WorkerBundle
  readonly objects?: { readonly bundle: WorkerBundle; readonly classes: readonly string[] }
}

/** A server as its clients see it. */
export interface ServedEndpoint {
  /** The MCP endpoint. */
  readonly url: string
  readonly origin: string
  /** Sends a request for the origin to the port at which the server listens. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The time on its clock, in epoch milliseconds. */
  readonly now: () => number
}

export interface UpgradeServer extends ServedEndpoint {
  /** All log output so far. */
  log(): string
  /** Ends the process with SIGKILL, and returns the time of it. */
  kill(): Promise<number>
  stop(): Promise<void>
}

export async function startUpgradeServer({
  worker,
  state,
  versions,
  startsAt,
  vars = {},
  hasDocument = true,
}: UpgradeServerOptions): Promise<UpgradeServer> {
  const offsetMs = startsAt - Date.now()
  const { objects } = versions
  const now = () => Date.now() + offsetMs
  const outside = await startOutsideWorld({ now, hasDocument })
  const server = await startLoggedServer({
    configPath: CONFIG_PATHS[worker],
    bundle: withClock(versions.worker, offsetMs),
    objects: objects && { ...objects, bundle: withClock(objects.bundle, offsetMs) },
    port: 0,
    state,
    vars: { SHORT: '', ...(worker === 'protected' && { EDGEWAY_ORIGIN: ORIGIN }), ...vars },
    egress: outside.url,
  }).catch(async (error) => {
    await outside.stop()
    throw error
  })
  const port = Number(new URL(server.url).port)
  return {
    url: `${ORIGIN}/mcp`,
    origin: ORIGIN,
    fetch: (request) => send(request, port),
    now,
    log: server.log,
    kill: async () => {
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
      return now()
    },
    stop: async () => {
      await server.stop()
      await outside.stop()
    },
  }
}
