/** The change bus in the Worker: publishes to the shards of the hub, and listens on one of them. */
import {
  type Change,
  type ChangeBus,
  ChangeBusFullError,
  type ChangeFeed,
  type ChangePosition,
  type ListenOptions,
  type PublishedChange,
} from '../../src/ports/change-bus.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import { closeSocketOf, openStreamSocket } from '../stream-socket.ts'
import { type ChangeBusOptions, resolveChangeBusOptions } from './change-bus-options.ts'
import { formatPosition, parsePosition } from './change-position.ts'
import type { McpHub } from './hub-object.ts'
import {
  BEGAN_HEADER,
  ListenRefusalStatus,
  listenRequest,
  type PublishedMessage,
  parseLoggedChanges,
  parseVersion,
} from './hub-wire.ts'
import { ListenerLeases } from './listener-leases.ts'
import { randomShard, shardName, shardOfSubject, subjectKey } from './object-names.ts'

export type HubNamespace = ObjectNamespace<DurableObjectStub<McpHub>>

/** The listeners of this isolate, over all requests and environments. */
const leases = new ListenerLeases()

/** A lost connection is detected by the second heartbeat after it. */
const HEARTBEAT_MS = 30_000

/** A lease expires after this many missed heartbeats. */
const LEASE_HEARTBEATS = 3

/**
 * @param server the audience of the server whose changes these are: several servers of one Worker share the hub, and the
 *   listeners of one receive no change of another. Undefined: those of all
 * @throws {TypeError} for an invalid option
 */
export function createChangeBus(
  namespace: HubNamespace,
  options: ChangeBusOptions = {},
  heartbeatMs = HEARTBEAT_MS,
  server?: string,
): ChangeBus {
  return new HubChangeBus(namespace, resolveChangeBusOptions(options), heartbeatMs, server)
}

class HubChangeBus implements ChangeBus {
  readonly #namespace: HubNamespace
  readonly #options: Required<ChangeBusOptions>
  readonly #heartbeatMs: number
  readonly #server: string | undefined

  constructor(
    namespace: HubNamespace,
    options: Required<ChangeBusOptions>,
    heartbeatMs: number,
    server: string | undefined,
  ) {
    this.#namespace = namespace
    this.#options = options
    this.#heartbeatMs = heartbeatMs
    this.#server = server
  }

  async publish(change: Change): Promise<void> {
    const { shards, changeRetentionMs } = this.#options
    const subject = await keyOf(change.subject)
    const keyed: PublishedMessage = { ...change, subject, server: this.#server }
    // All listeners of a subject are on one shard. A change without a subject goes to every shard.
    const targets =
      subject === undefined
        ? Array.from({ length: shards }, (_, shard) => shard)
        : [shardOfSubject(subject, shards)]
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
    return this.#position(shard, await this.#call(shard, (hub) => hub.version()))
  }

  async listen(options: ListenOptions): Promise<ChangeFeed> {
    const { listenersPerIsolate } = this.#options
    const expiry = () => Date.now() + LEASE_HEARTBEATS * this.#heartbeatMs
    const lease = leases.acquire(listenersPerIsolate, Date.now(), expiry())
    if (lease === undefined) {
      throw new ChangeBusFullError('The isolate has reached its listener limit')
    }
    try {
      const { shard, socket, began, requested } = await this.#open(options)
      const position = this.#position(shard, began)
      const stream = openStreamSocket(socket, this.#heartbeatMs, {
        onMessage: (text) => {
          const changes = this.#changesOf(text, shard)
          if (changes.length === 0) return
          try {
            options.onChanges(changes)
          } catch (error) {
            stream.close()
            options.onLost(error)
          }
        },
        onClose: () => options.onLost(),
        onHeartbeat: () => lease.renew(expiry()),
        onEnd: () => lease.release(),
      })
      // The shard begins at the requested version, or later when it has deleted changes after it.
      if (options.since !== undefined && began !== requested) options.onGap?.(position)
      return { position, close: () => stream.close() }
    } catch (error) {
      lease.release()
      throw error
    }
  }

  /** The changes of one message that are for this server. One of an earlier version names no server, and is for all. */
  #changesOf(text: string, shard: number): PublishedChange[] {
    return parseLoggedChanges(text)
      .filter(({ server }) => (server ?? this.#server) === (this.#server ?? server))
      .map(({ version, change, isOwn }) => ({
        change,
        position: this.#position(shard, version),
        isOwn,
      }))
  }

  async countListeners(subject: string | undefined): Promise<number> {
    const { shards } = this.#options
    const key = await keyOf(subject)
    const targets =
      key === undefined
        ? Array.from({ length: shards }, (_, shard) => shard)
        : [this.#shardFor(key)]
    const counts = await Promise.all(
      targets.map((shard) => this.#call(shard, (hub) => hub.countListeners(key))),
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
      throw refusalError(status)
    }
    const began = parseVersion(response.headers.get(BEGAN_HEADER))
    if (began !== undefined) return { shard, socket, began, requested }
    closeSocketOf(response)
    throw new Error('The hub did not return the version its stream socket begins after')
  }

  #call<T>(
    shard: number,
    call: (hub: DurableObjectStub<McpHub>) => Promise<T>,
    discard?: (late: T) => void,
  ): Promise<T> {
    const name = shardName(shard)
    const run = async () => await call(this.#namespace.getByName(name))
    return callObject(run, this.#options.shardTimeoutMs, discard)
  }

  #position(shard: number, version: number): ChangePosition {
    return formatPosition({ shards: this.#options.shards, shard, version })
  }

  #shardFor(key: string | undefined): number {
    const { shards } = this.#options
    return key === undefined ? randomShard(shards) : shardOfSubject(key, shards)
  }
}

async function keyOf(subject: string | undefined): Promise<string | undefined> {
  return subject === undefined ? undefined : await subjectKey(subject)
}

function refusalError(status: number): Error {
  if (status === ListenRefusalStatus.subjectFull) {
    return new ChangeBusFullError('The caller has reached its listener limit')
  }
  if (status === ListenRefusalStatus.hubFull) {
    return new ChangeBusFullError('The hub has reached its listener limit')
  }
  return new Error(`The hub refused the listener with status ${status}`)
}
