/** The parts of one session object, and how they are connected: each reads the others from here. */
import type { CallSession } from '../../src/dispatch/call-session.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { AppObjects } from '../../src/ports/objects.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { Entries } from '../entries/entries.ts'
import type { PrincipalsObject } from '../keyring/principals-object.ts'
import type { RedeemedObject } from '../keyring/redeemed-object.ts'
import { CallerRecords } from '../run/caller-records.ts'
import { Asks } from './asks.ts'
import { ClientPresence } from './client-presence.ts'
import { ClientState } from './client-state.ts'
import { SessionLifetime } from './lifetime.ts'
import { PostRequests } from './post-requests.ts'
import { createRunSession } from './run-session.ts'
import { Runs } from './runs.ts'
import type { HostLimits, SessionHost } from './session-host.ts'
import { SessionQuota } from './session-quota.ts'
import type { SessionRun } from './session-run.ts'
import { SessionStorage } from './session-storage.ts'
import { StreamLogs } from './stream-logs.ts'
import { StreamSockets } from './stream-sockets.ts'
import { SessionSubscriptions } from './subscriptions.ts'
import type { CreateTaskPart, TaskPart } from './task-part.ts'
import { Tombstone } from './tombstone.ts'

/** Interval of alarms while handlers run: they keep the object in memory, and find interrupted runs. */
export const HEARTBEAT_MS = 20_000

/** How long a client may take to reconnect, beyond the `retry` of its stream. */
const RECONNECT_MARGIN_MS = 1000

/** What a session object is given. */
export interface SessionPlace {
  readonly state: DurableObjectState
  readonly env: Cloudflare.Env
  readonly objects: AppObjects
  readonly host: SessionHost
}

export class SessionParts {
  readonly state: DurableObjectState
  readonly host: SessionHost
  readonly limits: HostLimits
  /** How long after a stream has closed its reader may be about to connect again. */
  readonly reconnectMs: number
  readonly deployment: DefinedDeployment
  readonly storage: SessionStorage
  readonly client: ClientState
  readonly entries: Entries
  readonly sockets: StreamSockets
  readonly logs: StreamLogs
  readonly presence: ClientPresence
  readonly subscriptions: SessionSubscriptions
  readonly asks: Asks
  readonly callers: CallerRecords
  readonly tombstone: Tombstone
  readonly quota: SessionQuota
  readonly lifetime: SessionLifetime
  readonly runs: Runs
  /** Undefined without `tasks()`. */
  readonly tasks: TaskPart | undefined
  readonly requests: PostRequests

  constructor({ state, env, objects, host }: SessionPlace, createTaskPart: CreateTaskPart) {
    const deployment = host.deploymentOf(env)
    const storage = new SessionStorage(state.storage)
    const client = new ClientState(storage)
    this.state = state
    this.host = host
    this.limits = host.limits
    this.reconnectMs = host.limits.retryMs + RECONNECT_MARGIN_MS
    this.deployment = deployment
    this.storage = storage
    this.client = client
    this.entries = new Entries({
      get existing() {
        return storage.existing?.entries
      },
      get statements() {
        return storage.statements.entries
      },
    })
    this.sockets = new StreamSockets(state)
    this.logs = new StreamLogs(storage, this.sockets, host.limits)
    this.presence = new ClientPresence(this)
    this.subscriptions = new SessionSubscriptions(this)
    this.asks = new Asks(this)
    const { sealer } = deployment.services
    this.callers = new CallerRecords({ host, env, sealer, nameOf: () => client.claims.name })
    this.tombstone = new Tombstone(objects.of<RedeemedObject>('redeemed'), state.id, storage)
    this.quota = new SessionQuota(objects.of<PrincipalsObject>('principals'), this)
    this.lifetime = new SessionLifetime(this)
    this.runs = new Runs(this)
    this.tasks = createTaskPart(this)
    this.requests = new PostRequests(this)
  }

  get codec(): Codec {
    return this.host.codecOf(this.client.revision)
  }

  readonly waitUntil = (promise: Promise<unknown>): void => this.state.waitUntil(promise)

  /** Reports the error of work in the background. */
  readonly report = (error: unknown): void =>
    this.deployment.report({ type: 'internal-error', error })

  /** Sets an alarm: at the latest at `by`, and always soon enough to find an interrupted run. */
  readonly schedule = (by = Number.POSITIVE_INFINITY): void =>
    this.lifetime.wakeAt(Math.min(Date.now() + HEARTBEAT_MS, by))

  readonly sessionOf = (run: SessionRun): CallSession => createRunSession(run, this)
}
