/** The author's listeners at the upstream: one for the arguments of each subscription, open stream and recent poll. */

import { withDeadline } from '../../../src/platform/deadline.ts'
import type { UpstreamListener } from '../../../src/ports/event-types.ts'
import type { LogName } from '../../../src/ports/events.ts'
import { retryDelayMs } from './hand-over.ts'
import { inParallel } from './in-parallel.ts'
import { digestOf, type LogSockets } from './log-sockets.ts'
import type { LogStorage, OpenLog } from './log-storage.ts'
import type { ListenerRow, LogRow } from './schema.ts'

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
  readonly #started = new Set<string>()
  /** The last operation of each listener: they run one after the other. */
  readonly #operations = new Map<string, Promise<unknown>>()
  /** How often starts have failed after a restart, and when they are tried again. */
  #failures = 0
  #retryAt = 0

  constructor(storage: LogStorage, sockets: LogSockets) {
    this.#storage = storage
    this.#sockets = sockets
  }

  /**
   * Resolves when the listener for the arguments runs. It goes on for this time at least. Rejects when it cannot be
   * started; one that nothing else needs is then stopped.
   */
  async ensure(name: LogName, text: string, forMs: number): Promise<void> {
    const upstream = this.#storage.context.host.types.get(name.type)?.upstream
    if (upstream === undefined) return
    const key = await digestOf(text)
    const { statements } = this.#storage.open(name)
    const until = this.#storage.context.now() + forMs
    const known = statements.listener(key)
    const renew = () => {
      const row = statements.listener(key)
      if (row !== undefined && row.failures === 0 && row.leased_until >= until) return
      // Longer than asked for, so that not every poll writes a row.
      const leased_until = until + Math.floor(forMs / 2)
      statements.saveListener({ key, arguments: text, leased_until, failures: 0 })
      this.#storage.alarm.wakeAt(leased_until)
    }
    renew()
    await this.#inOrder(key, async () => {
      if (this.#started.has(key)) return
      try {
        await this.#call(upstream, 'start', name, text)
      } catch (error) {
        this.#release(key, known)
        throw error
      }
      this.#started.add(key)
      // An earlier start may have failed meanwhile, and have released the lease.
      renew()
    })
  }

  /** After a failed start: as if nothing had been asked for. */
  #release(key: string, known: ListenerRow | undefined): void {
    const { statements } = this.#storage.existing ?? {}
    const row = statements?.listener(key)
    if (row === undefined) return
    const now = this.#storage.context.now()
    statements?.saveListener({ ...row, leased_until: known?.leased_until ?? now })
    this.#storage.alarm.wakeAt(now)
  }

  /**
   * Starts the listeners that do not run since a restart, and stops those that nothing needs. Returns when to look again.
   */
  async run(): Promise<number | undefined> {
    const open = this.#storage.existing
    const type = open && this.#storage.typeOf(open.log)
    if (open === undefined || type === undefined) return undefined
    const { statements } = open
    const { upstream } = type
    if (upstream === undefined) {
      for (const { key } of statements.listeners()) statements.deleteListener(key)
      return undefined
    }
    this.#extend(open, upstream)
    await this.#restart(open, upstream)
    await this.#stopUnused(open, upstream)
    const lease = statements.nextLease()
    return lease === undefined || this.#failures === 0 ? lease : Math.min(lease, this.#retryAt)
  }

  /** Those whose time is over and that are still needed. */
  #extend({ statements }: OpenLog, { pollLeaseMs }: UpstreamListener): void {
    const now = this.#storage.context.now()
    const unused = new Set(this.#unused(statements).map(({ key }) => key))
    for (const row of statements.listeners()) {
      if (row.leased_until > now || unused.has(row.key)) continue
      statements.saveListener({ ...row, leased_until: now + pollLeaseMs, failures: 0 })
    }
  }

  #unused(statements: OpenLog['statements']): ListenerRow[] {
    const rows = statements.unusedListeners(this.#storage.context.now())
    return rows.filter(({ key }) => !this.#sockets.needs(key))
  }

  async #restart({ statements, log }: OpenLog, upstream: UpstreamListener): Promise<void> {
    const now = this.#storage.context.now()
    if (this.#failures > 0 && now < this.#retryAt) return
    const stopped = statements
      .listeners()
      .filter((row) => row.leased_until > now && row.failures === 0 && !this.#started.has(row.key))
    let hasFailed = false
    await inParallel(stopped, ({ key, arguments: text }) =>
      this.#inOrder(key, async () => {
        if (this.#started.has(key) || statements.listener(key) === undefined) return
        if (await this.#succeeds(upstream, 'start', log, text)) this.#started.add(key)
        else hasFailed = true
      }),
    )
    this.#failures = hasFailed ? this.#failures + 1 : 0
    this.#retryAt = now + retryDelayMs(this.#failures)
  }

  async #stopUnused({ statements, log }: OpenLog, upstream: UpstreamListener): Promise<void> {
    await inParallel(this.#unused(statements), ({ key }) =>
      this.#inOrder(key, async () => {
        // While another operation ran, a poll may have renewed the lease.
        const row = this.#unused(statements).find((each) => each.key === key)
        if (row === undefined) return
        this.#started.delete(key)
        const isStopped = await this.#succeeds(upstream, 'stop', log, row.arguments)
        if (statements.listener(key)?.leased_until !== row.leased_until) return
        const failures = row.failures + 1
        if (isStopped || failures >= MAX_STOPS) {
          statements.deleteListener(key)
          return
        }
        const leased_until = this.#storage.context.now() + retryDelayMs(failures)
        statements.saveListener({ ...row, leased_until, failures })
      }),
    )
  }

  async #succeeds(
    upstream: UpstreamListener,
    operation: 'start' | 'stop',
    { type, subject }: LogRow,
    text: string,
  ): Promise<boolean> {
    try {
      await this.#call(upstream, operation, { type, subject: subject ?? undefined }, text)
      return true
    } catch (error) {
      this.#storage.reportHandler(type, `upstream.${operation}`, error)
      return false
    }
  }

  async #call(
    upstream: UpstreamListener,
    operation: 'start' | 'stop',
    { subject }: LogName,
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
