/** The parts of one session object, and how they are connected. */

import type { StreamEvent } from '../../src/ports/sessions.ts'
import { Entries } from '../entries/entries.ts'
import { createCallerRecords } from '../run/run-host.ts'
import { Asks } from './asks.ts'
import { ClientPresence } from './client-presence.ts'
import { ClientState } from './client-state.ts'
import { SessionLifetime } from './lifetime.ts'
import { PostRequests } from './post-requests.ts'
import { endRevokedRuns } from './revoked-runs.ts'
import { createRunSession } from './run-session.ts'
import { Runs } from './runs.ts'
import type { SessionHost } from './session-host.ts'
import { SessionQuota } from './session-quota.ts'
import { SessionServer } from './session-server.ts'
import { SessionStorage } from './session-storage.ts'
import { StandaloneStream } from './standalone-stream.ts'
import { StreamLogs } from './stream-logs.ts'
import { StreamSockets } from './stream-sockets.ts'
import { SessionSubscriptions } from './subscriptions.ts'
import type { CreateTaskPart, TaskPart } from './task-part.ts'
import { Tombstone } from './tombstone.ts'

/** Interval of alarms while handlers run: they keep the object in memory, and find interrupted runs. */
export const HEARTBEAT_MS = 20_000

/** How long a client may take to reconnect, beyond the `retry` of its stream. */
export const RECONNECT_MARGIN_MS = 1000

export interface SessionParts {
  readonly storage: SessionStorage
  readonly client: ClientState
  readonly presence: ClientPresence
  readonly server: SessionServer
  readonly entries: Entries
  readonly sockets: StreamSockets
  readonly logs: StreamLogs
  readonly subscriptions: SessionSubscriptions
  readonly runs: Runs
  /** Undefined without `tasks()`. */
  readonly tasks: TaskPart | undefined
  readonly requests: PostRequests
  readonly lifetime: SessionLifetime
  /** Ends the runs of a stream whose caller has lost its access, and returns what was appended by that. */
  readonly endRevoked: (stream: string) => Promise<readonly StreamEvent[]>
}

export function createSessionParts(
  ctx: DurableObjectState,
  env: Cloudflare.Env,
  host: SessionHost,
  createTaskPart: CreateTaskPart,
): SessionParts {
  const { limits } = host
  const deployment = host.deploymentOf(env)
  const storage = new SessionStorage(ctx.storage)
  const client = new ClientState(storage)
  const server = new SessionServer({ host, deployment, storedServer: () => client.storedServer })
  const entries = new Entries({
    get existing() {
      return storage.existing?.entries
    },
    get statements() {
      return storage.statements.entries
    },
  })
  const sockets = new StreamSockets(ctx)
  const logs = new StreamLogs(storage, sockets, limits)
  const max = limits.subscriptionsPerSession
  const presence = new ClientPresence({
    storage,
    sockets,
    client,
    limits,
    schedule: (by) => lifetime.wakeAt(by),
  })
  const subscriptions = new SessionSubscriptions(storage, logs, sockets, client, max)
  const asks = new Asks(storage, logs, subscriptions)
  const callers = createCallerRecords(host, env, () => client.claims.name)
  const runs: Runs = new Runs({
    storage,
    logs,
    asks,
    client,
    server,
    host,
    deployment,
    waitUntil: (promise) => ctx.waitUntil(promise),
    callers,
    resultEnded: () => tasks?.deliver(),
    sessionOf: (run) =>
      createRunSession(run, {
        runs,
        logs,
        client,
        entries,
        subscriptions,
        tasks,
        deployment,
        scheduleExpiry: () => {
          lifetime.wakeAt(client.claims.expiresAt)
          presence.settingsStored()
        },
      }),
    schedule: (by = Number.POSITIVE_INFINITY) =>
      lifetime.wakeAt(Math.min(Date.now() + HEARTBEAT_MS, by)),
  })
  const schedule = (by: number) => lifetime.wakeAt(by)
  const codec = () => runs.codec
  const { logRetentionMs } = limits
  const standalone = new StandaloneStream({ logs, sockets, client, schedule, logRetentionMs })
  const tasks: TaskPart | undefined = createTaskPart({
    storage,
    logs,
    sockets,
    standalone,
    client,
    asks,
    runs,
    codec,
    deployment,
    schedule,
    reconnectMs: limits.retryMs + RECONNECT_MARGIN_MS,
  })
  const lifetime: SessionLifetime = new SessionLifetime({
    state: ctx,
    storage,
    client,
    tombstone: new Tombstone(env, ctx.id, storage),
    quota: new SessionQuota(env, {
      storage,
      server: deployment.audience,
      limit: limits.sessionsPerPrincipal,
      claimsOf: () => client.claims,
      terminate: async (session) => deployment.services.sessions()?.terminate(session),
    }),
    report: (error) => deployment.report({ type: 'internal-error', error }),
  })
  const requests = new PostRequests(runs, client, limits)
  return {
    storage,
    client,
    presence,
    server,
    entries,
    sockets,
    logs,
    subscriptions,
    runs,
    tasks,
    requests,
    lifetime,
    endRevoked: (stream) => endRevokedRuns({ storage, logs, runs, callers, deployment }, stream),
  }
}
