/** The change bus over the hub: publishing to its shards, and listening on one of them. */
import {
  type Change,
  type ChangeBus,
  ChangeBusFullError,
  type ChangeFeed,
  type ChangePosition,
  type ListenOptions,
} from '../../src/ports/change-bus.ts'
import { callObject } from '../object-call.ts'
import { openStreamSocket } from '../stream-socket.ts'
import type { McpHub } from './hub-object.ts'
import {
  BEGAN_HEADER,
  ListenRefusalStatus,
  listenRequest,
  parseLoggedChange,
  readVersion,
  subjectKey,
} from './hub-wire.ts'
import { Leases } from './leases.ts'
import { formatPosition, parsePosition } from './position.ts'
import { anyShard, shardName, shardOf } from './shards.ts'

export type HubNamespace = Pick<DurableObjectNamespace<McpHub>, 'getByName'>

export interface ChangeBusOptions {
  /**
   * Objects that share the listeners. Every publisher and listener of a deployment must agree on it:
   * change it with a full deployment, not a gradual one. Default 1, good for 10,000 listeners.
   */
  readonly shards?: number
  /** Lines of one isolate, over all subjects: each holds a stream in its memory. Default 1000. */
  readonly listenersPerIsolate?: number
  /** Lines of one subject; those without one count as one subject, per shard. Default 100. */
  readonly listenersPerSubject?: number
  /** Default 10,000. */
  readonly listenersPerShard?: number
  /** How often a line is checked: a dead one is noticed after two. Default 30 s. */
  readonly beatMs?: number
  /** How long a shard may take to answer. Default 10 s. */
  readonly shardTimeoutMs?: number
  /**
   * For how long at least a change is kept for listeners who are away for a moment: who is away for
   * longer reads anew. A shard keeps 10,000 changes at most. Default 10 minutes.
   */
  readonly newsKeptMs?: number
}

/** All lines of this isolate, whichever request they serve. */
const leases = new Leases()

/** A lease outlives this many missed beats. */
const LEASE_BEATS = 3

/** @throws {TypeError} as {@link checkChangeBusOptions} does */
export function createChangeBus(
  namespace: HubNamespace,
  options: ChangeBusOptions = {},
): ChangeBus {
  checkChangeBusOptions(options)
  return new HubBus(namespace, options)
}

class HubBus implements ChangeBus {
  readonly #namespace: HubNamespace
  readonly #shards: number
  readonly #options: ChangeBusOptions

  constructor(namespace: HubNamespace, options: ChangeBusOptions) {
    this.#namespace = namespace
    this.#shards = options.shards ?? 1
    this.#options = options
  }

  async publish(change: Change): Promise<void> {
    const { newsKeptMs = 600_000 } = this.#options
    const subject = await keyOf(change.subject)
    const news: Change = { ...change, subject }
    // All listeners of a subject are on one shard; everybody is on all of them.
    const reached =
      subject === undefined
        ? Array.from({ length: this.#shards }, (_, shard) => shard)
        : [shardOf(subject, this.#shards)]
    const outcomes = await Promise.allSettled(
      // A second try may find that the first was kept and only its answer lost. Then the change is
      // told twice, which is harmless: that something has changed stays true.
      reached.map((shard) => this.#call(shard, (hub) => hub.publish(news, newsKeptMs))),
    )
    const errors = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason] : []))
    if (errors.length > 0) {
      const text = `${errors.length} of ${reached.length} hub shards did not take the news`
      throw new AggregateError(errors, text)
    }
  }

  async position(subject: string | undefined): Promise<ChangePosition> {
    const shard = this.#shardFor(await keyOf(subject))
    return this.#position(shard, await this.#call(shard, (hub) => hub.version()))
  }

  async listen(options: ListenOptions): Promise<ChangeFeed> {
    const { beatMs = 30_000, listenersPerIsolate = 1000 } = this.#options
    const expiry = () => Date.now() + LEASE_BEATS * beatMs
    const lease = leases.take(listenersPerIsolate, Date.now(), expiry())
    if (lease === undefined) throw new ChangeBusFullError('This isolate has no room for another')
    try {
      const { shard, socket, began, from } = await this.#open(options)
      const position = this.#position(shard, began)
      const line = openStreamSocket(socket, beatMs, {
        onMessage: (text) => {
          const news = parseLoggedChange(text)
          if (news === undefined) return
          options.onChange(news.change, this.#position(shard, news.version))
        },
        onClose: options.onLost,
        onHeartbeat: () => lease.renew(expiry()),
        onEnd: () => lease.release(),
      })
      // The hub begins where it was asked to, or later, having forgotten what lies between.
      if (options.since !== undefined && began !== from) options.onGap?.(position)
      return { position, close: () => line.close() }
    } catch (error) {
      lease.release()
      throw error
    }
  }

  /** A line, the version it begins after, and the version it was asked to begin after. */
  async #open({ kinds, subject, since }: ListenOptions) {
    const { listenersPerSubject: perSubject = 100, listenersPerShard: perShard = 10_000 } =
      this.#options
    const key = await keyOf(subject)
    const asked = since === undefined ? undefined : parsePosition(since)
    const known = asked?.shards === this.#shards ? asked : undefined
    // Everybody's news is on every shard, so an anonymous listener may go on where it was.
    const shard = (key === undefined ? known?.shard : undefined) ?? this.#shardFor(key)
    const from = known?.shard === shard ? known.version : undefined
    // Even for no kinds at all: the hub counts what one caller holds open.
    const line = { kinds, subject: key, since: from, perSubject, perShard }
    const response = await this.#call(shard, (hub) => hub.fetch(listenRequest(line)), hangUp)
    const { webSocket: socket, status } = response
    if (socket === null) {
      await response.body?.cancel()
      throw refusal(status)
    }
    const began = readVersion(response.headers.get(BEGAN_HEADER))
    if (began !== undefined) return { shard, socket, began, from }
    hangUp(response)
    throw new Error('The hub did not say where the line begins')
  }

  #call<T>(
    shard: number,
    call: (hub: DurableObjectStub<McpHub>) => Promise<T>,
    discard?: (late: T) => void,
  ): Promise<T> {
    const name = shardName(shard)
    const ask = async () => await call(this.#namespace.getByName(name))
    return callObject(ask, this.#options.shardTimeoutMs, discard)
  }

  #position(shard: number, version: number): ChangePosition {
    return formatPosition({ shards: this.#shards, shard, version })
  }

  #shardFor(key: string | undefined): number {
    return key === undefined ? anyShard(this.#shards) : shardOf(key, this.#shards)
  }
}

async function keyOf(subject: string | undefined): Promise<string | undefined> {
  return subject === undefined ? undefined : await subjectKey(subject)
}

/** A line that came when nobody waited for it any more. */
function hangUp({ webSocket }: Response): void {
  webSocket?.accept()
  webSocket?.close(1000)
}

function refusal(status: number): Error {
  if (status === ListenRefusalStatus.subjectFull) {
    return new ChangeBusFullError('This caller has as many listeners as it may')
  }
  if (status === ListenRefusalStatus.hubFull) return new ChangeBusFullError('The hub is full')
  return new Error(`The hub refused a line with status ${status}`)
}

/** The longest delay a timer takes: a longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1

/** @throws {TypeError} for an option that is no whole number above 0, or a time above 24 days */
export function checkChangeBusOptions(options: ChangeBusOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!(Number.isSafeInteger(value) && value > 0)) {
      throw new TypeError(`${name} must be a whole number above 0`)
    }
    if (name.endsWith('Ms') && value > MAX_MS) {
      throw new TypeError(`${name} must be at most ${MAX_MS}`)
    }
  }
}
