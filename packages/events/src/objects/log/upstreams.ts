/** The author's listeners at the upstream: one for the arguments of each subscription, open stream and recent poll. */

import type { Rows } from '../../../../../src/internal.ts'
import { withDeadline } from '../../../../../src/platform/deadline.ts'
import type { UpstreamListener } from '../../compiled-event-type.ts'
import { inParallel } from '../in-parallel.ts'
import type { Leased, LogName } from '../port.ts'
import { retryDelayMs } from './hand-over.ts'
import { LeaseCounts } from './lease-counts.ts'
import { digestOf, type LogSockets } from './log-sockets.ts'
import {
  existingLog,
  type LogStorage,
  type OpenLog,
  openLog,
  reportHandler,
  typeOf,
} from './log-storage.ts'
import type { ListenerRow, LogRow } from './schema.ts'
import {
  deleteListener,
  extendListeners,
  listener,
  listeners,
  nextLease,
  saveListener,
  unusedListeners,
} from './statements.ts'

/** How long a function of the author may take. */
const TIMEOUT_MS = 30_000

/** A listener whose `stop` has failed so often is given up. */
const MAX_STOPS = 5

/**
 * The row of a listener is written before it is started, so that a kill in between leaves none that is not stopped. Which
 * listeners run is in memory: after a restart, the next turn of the alarm starts them again.
 */
export class Upstreams {
  readonly #storage: LogStorage
  readonly #sockets: LogSockets
  readonly #leases: LeaseCounts
  readonly #started = new Set<string>()
  /** The last operation of each listener: they run one after the other. */
  readonly #operations = new Map<string, Promise<unknown>>()
  /** How often starts have failed after a restart, and when they are tried again. */
  #failures = 0
  #retryAt = 0

  constructor(storage: LogStorage, sockets: LogSockets) {
    this.#storage = storage
    this.#sockets = sockets
    this.#leases = new LeaseCounts(storage)
  }

  /**
   * Resolves when the listener for the arguments runs. It goes on for this time at least. Rejects when it cannot be
   * started; one that nothing else needs is then stopped.
   *
   * @param holder by whom the lease is counted; undefined: it is not
   */
  async ensure(name: LogName, text: string, forMs: number, holder?: string): Promise<Leased> {
    const upstream = typeOf(this.#storage, name)?.upstream
    if (upstream === undefined) return undefined
    const key = await digestOf(text)
    if (holder !== undefined && !this.#leases.take(holder, key, forMs)) return 'full'
    const { sql } = openLog(this.#storage, name)
    const until = this.#storage.now + forMs
    const known = listener(sql, key)
    const renew = () => {
      const row = listener(sql, key)
      if (row !== undefined && row.failures === 0 && row.leased_until >= until) return
      // Longer than asked for, so that not every poll writes a row.
      const leased_until = until + Math.floor(forMs / 2)
      const leased = { key, arguments: text, leased_until, failures: 0 }
      sql.insert('listeners', leased, 'INSERT OR REPLACE')
      this.#storage.alarm.wakeAt(leased_until)
    }
    renew()
    await this.#inOrder(key, async () => {
      if (this.#started.has(key)) return
      try {
        await this.#call(upstream, 'start', name.subject, text)
      } catch (error) {
        // As if nothing had been asked for.
        const now = this.#storage.now
        saveListener(sql, key, { leased_until: known?.leased_until ?? now })
        this.#storage.alarm.wakeAt(now)
        throw error
      }
      this.#started.add(key)
      // An earlier start may have failed meanwhile, and have released the lease.
      renew()
    })
    return undefined
  }

  /**
   * Starts the listeners that do not run since a restart, and stops those that nothing needs. Returns when to look again.
   */
  async run(): Promise<number | undefined> {
    const open = existingLog(this.#storage)
    const type = open && typeOf(this.#storage, open.log)
    if (open === undefined || type === undefined) return undefined
    const { sql } = open
    const { upstream } = type
    if (upstream === undefined) {
      sql.run('DELETE FROM listeners')
      return undefined
    }
    const now = this.#storage.now
    const unused = this.#unused(sql).map(({ key }) => key)
    extendListeners(sql, now, now + upstream.pollLeaseMs, unused)
    const mayStart = now >= this.#retryAt
    let hasFailed = false
    await inParallel(listeners(sql), async ({ key, arguments: text, leased_until, failures }) => {
      if (leased_until <= now) {
        await this.#inOrder(key, () => this.#stop(open, upstream, key))
      } else if (mayStart && failures === 0 && !this.#started.has(key)) {
        await this.#inOrder(key, async () => {
          if (this.#started.has(key) || listener(sql, key) === undefined) return
          if (await this.#succeeds(upstream, 'start', open.log, text)) this.#started.add(key)
          else hasFailed = true
        })
      }
    })
    if (mayStart) {
      this.#failures = hasFailed ? this.#failures + 1 : 0
      this.#retryAt = hasFailed ? now + retryDelayMs(this.#failures) : 0
    }
    const lease = nextLease(sql)
    return lease && this.#failures > 0 ? Math.min(lease, this.#retryAt) : lease
  }

  #unused(sql: Rows): ListenerRow[] {
    const rows = unusedListeners(sql, this.#storage.now)
    return rows.filter(({ key }) => !this.#sockets.needs(key))
  }

  async #stop({ sql, log }: OpenLog, upstream: UpstreamListener, key: string): Promise<void> {
    // While another operation ran, a poll may have renewed the lease.
    const row = this.#unused(sql).find((each) => each.key === key)
    if (row === undefined) return
    this.#started.delete(key)
    const isStopped = await this.#succeeds(upstream, 'stop', log, row.arguments)
    if (listener(sql, key)?.leased_until !== row.leased_until) return
    const failures = row.failures + 1
    if (isStopped || failures >= MAX_STOPS) {
      deleteListener(sql, key)
    } else {
      const leased_until = this.#storage.now + retryDelayMs(failures)
      saveListener(sql, key, { leased_until, failures })
    }
  }

  async #succeeds(
    upstream: UpstreamListener,
    operation: 'start' | 'stop',
    { type, subject }: LogRow,
    text: string,
  ): Promise<boolean> {
    try {
      await this.#call(upstream, operation, subject ?? undefined, text)
      return true
    } catch (error) {
      reportHandler(this.#storage, type, `upstream.${operation}`, error)
      return false
    }
  }

  async #call(
    upstream: UpstreamListener,
    operation: 'start' | 'stop',
    subject: string | undefined,
    text: string,
  ): Promise<void> {
    const { env } = this.#storage.context
    const called = upstream[operation]({ arguments: JSON.parse(text), subject, env })
    await withDeadline(TIMEOUT_MS, Promise.resolve(called), () => {
      throw new Error(`upstream.${operation} has not settled in time`)
    })
  }

  async #inOrder(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#operations.get(key)
    const operation = (async () => {
      await before?.catch(() => undefined)
      await work()
    })()
    this.#operations.set(key, operation)
    try {
      await operation
    } finally {
      if (this.#operations.get(key) === operation) this.#operations.delete(key)
    }
  }
}
