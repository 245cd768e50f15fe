/** The change bus over the hub: publishing to its shards, and listening on one of them. */
import {
  type Change,
  type ChangeBus,
  ChangeBusFullError,
  type ChangeKind,
} from '../../src/ports/change-bus.ts'
import type { McpHub } from './hub-object.ts'
import { LineStatus, lineRequest, subjectKey } from './hub-wire.ts'
import { Leases } from './leases.ts'
import { followLine } from './line.ts'
import { callShard } from './shard-call.ts'

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
  const {
    shards = 1,
    listenersPerIsolate = 1000,
    listenersPerSubject: perSubject = 100,
    listenersPerShard: perShard = 10_000,
    beatMs = 30_000,
    shardTimeoutMs,
  } = options
  const names = Array.from({ length: shards }, (_, index) => `hub-${index}`)

  const connect = async (kinds: readonly ChangeKind[], subject: string | undefined) => {
    const name = subject === undefined ? anyOf(names) : shardOf(names, subject)
    const request = { kinds, subject, perSubject, perShard }
    const response = await callShard(
      () => namespace.getByName(name).fetch(lineRequest(request)),
      shardTimeoutMs,
      hangUp,
    )
    if (response.webSocket !== null) return response.webSocket
    await response.body?.cancel()
    const { status } = response
    if (status === LineStatus.subjectFull) {
      throw new ChangeBusFullError('This caller has as many listeners as it may')
    }
    if (status === LineStatus.hubFull) throw new ChangeBusFullError('The hub is full')
    throw new Error(`The hub refused a line with status ${status}`)
  }

  return {
    async publish(change) {
      const subject = change.subject === undefined ? undefined : await subjectKey(change.subject)
      const news: Change = { ...change, subject }
      // All listeners of a subject are on one shard; everybody is on all of them.
      const reached = subject === undefined ? names : [shardOf(names, subject)]
      const outcomes = await Promise.allSettled(
        reached.map((name) =>
          callShard(async () => await namespace.getByName(name).publish(news), shardTimeoutMs),
        ),
      )
      const errors = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason] : []))
      if (errors.length > 0) {
        const text = `${errors.length} of ${reached.length} hub shards did not take the news`
        throw new AggregateError(errors, text)
      }
    },

    async listen(kinds, subject, onChange, onLost) {
      const expiry = () => Date.now() + LEASE_BEATS * beatMs
      const lease = leases.take(listenersPerIsolate, Date.now(), expiry())
      if (lease === undefined) throw new ChangeBusFullError('This isolate has no room for another')
      try {
        const key = subject === undefined ? undefined : await subjectKey(subject)
        // Even for no kinds at all: the hub counts what one caller holds open.
        const socket = await connect(kinds, key)
        return followLine(socket, beatMs, {
          onChange,
          onLost,
          onBeat: () => lease.renew(expiry()),
          onEnd: () => lease.release(),
        })
      } catch (error) {
        lease.release()
        throw error
      }
    },
  }
}

/** A line that came when nobody waited for it any more. */
function hangUp({ webSocket }: Response): void {
  webSocket?.accept()
  webSocket?.close(1000)
}

/** @throws {TypeError} for an option that is no whole number above 0 */
export function checkChangeBusOptions(options: ChangeBusOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new TypeError(`${name} must be a whole number above 0`)
    }
  }
}

function anyOf(names: readonly string[]): string {
  return nameAt(names, Math.floor(Math.random() * names.length))
}

/** FNV-1a: the same shard for the same subject in every isolate. It spreads; it protects nothing. */
function shardOf(names: readonly string[], subject: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < subject.length; index++) {
    hash = Math.imul(hash ^ subject.charCodeAt(index), 0x01000193)
  }
  return nameAt(names, (hash >>> 0) % names.length)
}

function nameAt(names: readonly string[], index: number): string {
  return names[index] ?? 'hub-0'
}
