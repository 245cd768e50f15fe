/** The change bus in the Worker: publishes to the shards of the hub, and listens on one of them. */
import { invalid, type Result, valid } from '../../src/platform/result.ts'
import type {
  ChangeBus,
  ChangeFeed,
  ChangePosition,
  ListenOptions,
  PublishedChange,
} from '../../src/ports/change-bus.ts'
import type { Change } from '../../src/ports/change-kinds.ts'
import type { CallsOf, ObjectStub, SocketsOfKind } from '../../src/ports/objects.ts'
import { type CallByName, callerOf } from '../object-call.ts'
import { closeSocketOf, openStreamSocket } from '../stream-socket.ts'
import { formatPosition, parsePosition } from './change-position.ts'
import { type ChangesOptions, DEFAULT_CHANGES_OPTIONS } from './changes-options.ts'
import type { HubObject } from './hub-object.ts'
import {
  BEGAN_HEADER,
  ListenRefusalStatus,
  listenRequest,
  type PublishedMessage,
  parseLoggedChanges,
  parseVersion,
} from './hub-wire.ts'
import { ListenerLeases } from './listener-leases.ts'
import { randomShard, shardOfSubject, subjectKey } from './subject-shards.ts'

type Hub = CallsOf<HubObject> & ObjectStub

/** The listeners of this isolate, over all requests and environments. */
const leases = new ListenerLeases()

/** A lost connection is detected by the second heartbeat after it. */
const HEARTBEAT_MS = 30_000

/** A lease expires after this many missed heartbeats. */
const LEASE_HEARTBEATS = 3

/** The message that was read last: all listeners of an isolate receive the same. */
interface ReadMessage {
  readonly text: string
  readonly shard: number
  readonly changes: readonly PublishedChange[]
}

export class HubChangeBus implements ChangeBus {
  readonly #callShard: CallByName<Hub>
  readonly #server: string
  readonly #options: Required<ChangesOptions>
  readonly #heartbeatMs: number
  #latest: ReadMessage | undefined

  /**
   * @param server the audience of the server whose changes these are: several servers of one Worker share the hub, and the
   *   listeners of one receive no change of another
   */
  constructor(
    namespace: SocketsOfKind<HubObject>,
    server: string,
    options: ChangesOptions = {},
    heartbeatMs = HEARTBEAT_MS,
  ) {
    this.#callShard = callerOf(namespace)
    this.#server = server
    this.#options = { ...DEFAULT_CHANGES_OPTIONS, ...options }
    this.#heartbeatMs = heartbeatMs
  }

  async publish(change: Change): Promise<void> {
    const subject = await keyOf(change.subject)
    const keyed: PublishedMessage = { ...change, subject, server: this.#server }
    const { changeRetentionMs } = this.#options
    const targets = this.#shardsOf(subject)
    const outcomes = await Promise.allSettled(
      // When only the answer of the first try was lost, a retry publishes the change twice. That is
      // harmless: a change only says that something must be read again.
      targets.map((shard) => this.#call(shard, (hub) => hub.publish(keyed, changeRetentionMs))),
    )
    const errors = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason] : []))
    if (errors.length > 0) {
      const text = `${errors.length} of ${targets.length} hub shards did not store the change`
      throw new AggregateError(errors, text)
    }
  }

  async position(subject: string | undefined): Promise<ChangePosition> {
    const shard = this.#shardFor(await keyOf(subject))
    return this.#positionOf(shard, await this.#call(shard, (hub) => hub.version()))
  }

  async listen(listener: ListenOptions): Promise<Result<ChangeFeed>> {
    const expiry = () => Date.now() + LEASE_HEARTBEATS * this.#heartbeatMs
    const lease = leases.acquire(this.#options.listenersPerIsolate, Date.now(), expiry())
    if (lease === undefined) {
      return invalid('The isolate has reached its listener limit')
    }
    try {
      const opened = await this.#open(listener)
      if (!opened.ok) {
        lease.release()
        return opened
      }
      const { shard, socket, began, requested } = opened.value
      const position = this.#positionOf(shard, began)
      const stream = openStreamSocket(socket, this.#heartbeatMs, {
        onMessage: (text) => {
          const changes = this.#changesOf(text, shard)
          if (changes.length > 0) listener.onChanges(changes)
        },
        onError: (error) => listener.onLost(error),
        onClose: () => listener.onLost(),
        onHeartbeat: () => lease.renew(expiry()),
        onEnd: () => lease.release(),
      })
      // The shard begins at the requested version, or later when it has deleted changes after it.
      if (listener.since !== undefined && began !== requested) listener.onGap?.(position)
      return valid({ position, close: () => stream.close() })
    } catch (error) {
      lease.release()
      throw error
    }
  }

  async countListeners(subject: string | undefined): Promise<number> {
    const key = await keyOf(subject)
    const counts = await Promise.all(
      this.#shardsOf(key).map((shard) => this.#call(shard, (hub) => hub.countListeners(key))),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Opens a stream socket. Returns it with the version it begins after and the version requested. */
  async #open({ kinds, subject, network, since }: ListenOptions) {
    const { shards, listenersPerSubject: perSubject, listenersPerShard: perShard } = this.#options
    const key = await keyOf(subject)
    const parsed = since === undefined ? undefined : parsePosition(since)
    const position = parsed?.shards === shards ? parsed : undefined
    // Changes without a subject are on every shard, so an anonymous listener resumes on its old shard.
    const shard = (key === undefined ? position?.shard : undefined) ?? this.#shardFor(key)
    const requested = position?.shard === shard ? position.version : undefined
    // Opened even for no kinds, because the hub limits the number of listeners.
    const request = { kinds, subject: key, network, since: requested, perSubject, perShard }
    const response = await this.#call(
      shard,
      (hub) => hub.fetch(listenRequest(request)),
      closeSocketOf,
    )
    const { webSocket: socket, status } = response
    if (socket === null) {
      await response.body?.cancel()
      const full = FULL.get(status)
      if (full !== undefined) return invalid(full)
      throw new Error(`The hub refused the listener with status ${status}`)
    }
    const began = parseVersion(response.headers.get(BEGAN_HEADER))
    if (began !== undefined) return valid({ shard, socket, began, requested })
    closeSocketOf(response)
    throw new Error('The hub did not return the version its stream socket begins after')
  }

  #call<T>(shard: number, work: (hub: Hub) => Promise<T>, discard?: (late: T) => void): Promise<T> {
    return this.#callShard(String(shard), work, this.#options.shardTimeoutMs, discard)
  }

  #positionOf(shard: number, version: number): ChangePosition {
    return formatPosition({ shards: this.#options.shards, shard, version })
  }

  #shardFor(key: string | undefined): number {
    const { shards } = this.#options
    return key === undefined ? randomShard(shards) : shardOfSubject(key, shards)
  }

  /** All listeners of a subject are on one shard; those of all subjects are on every shard. */
  #shardsOf(key: string | undefined): readonly number[] {
    return key === undefined ? [...Array(this.#options.shards).keys()] : [this.#shardFor(key)]
  }

  /** The changes of one message that are for this server. */
  #changesOf(text: string, shard: number): readonly PublishedChange[] {
    if (this.#latest?.text === text && this.#latest.shard === shard) return this.#latest.changes
    const changes = parseLoggedChanges(text)
      .filter(({ server }) => server === this.#server)
      .map(({ version, change, isOwn }) => {
        return { change, position: this.#positionOf(shard, version), isOwn }
      })
    this.#latest = { text, shard, changes }
    return changes
  }
}

async function keyOf(subject: string | undefined): Promise<string | undefined> {
  return subject === undefined ? undefined : await subjectKey(subject)
}

/** The refusals of a listener at a limit. */
const FULL: ReadonlyMap<number, string> = new Map([
  [ListenRefusalStatus.subjectFull, 'The caller has reached its listener limit'],
  [ListenRefusalStatus.hubFull, 'The hub has reached its listener limit'],
])
