/** The log Durable Object: the connection timeline, or what the inspector shows. */
import { DurableObject } from '#runtime'
import type { ObjectClass } from '../../src/feature/object-class.ts'
import type { StoredStep, TimelineSettings } from '../../src/ports/timeline.ts'
import type {
  StoredTraffic,
  TrafficLease,
  TrafficPage,
  TrafficRead,
} from '../../src/ports/traffic.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { Tables } from '../tables.ts'
import { createStatements, MIGRATIONS } from './schema.ts'
import * as timeline from './steps.ts'
import type { CreateTrafficPart } from './traffic-part.ts'

/** Expired rows are deleted in batches, by at most one alarm per minute. */
const PURGE_DELAY_MS = 60_000

/** The RPC of the object. */
export interface LogRpc {
  /** @param create whether to create the key of digests. A read creates no tables */
  timelineSettings(create: boolean): Promise<TimelineSettings>
  recordTimeline(steps: readonly StoredStep[]): Promise<void>
  /** JSON of each step, in the order of their times. */
  readTimeline(): Promise<string[]>
  /** Records production until this time, in epoch milliseconds. 0 ends it. */
  switchTimeline(until: number): Promise<void>
  /** Until when production is recorded for the inspector. A read creates no tables. */
  trafficLease(): Promise<TrafficLease>
  recordTraffic(entries: readonly StoredTraffic[]): Promise<TrafficLease>
  /** Waits for an entry. Undefined when too many streams read. */
  readTraffic(request: TrafficRead): Promise<TrafficPage | undefined>
  /** @param watcher the name of a stream that is over */
  leaveTraffic(watcher: string): Promise<void>
}

const NO_LEASE: TrafficLease = { until: 0, subjects: [] }

/**
 * A log of one server, with one of two roles by its name (`object-names.ts`): the connection timeline, or
 * the entries of the inspector.
 *
 * Layout: one row per step or entry. Lifetime: rows are deleted when they expire, and the storage is dropped
 * with the last row. Trade-off: the oldest rows give way to new ones, so a flood shortens the log.
 */
export function createLogClass(createTraffic: CreateTrafficPart): ObjectClass<LogRpc> {
  return class McpLog extends DurableObject implements LogRpc {
    readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)
    readonly #traffic = createTraffic(this.#tables)
    readonly #alarm = new EarliestAlarm(this.ctx, this.#tables.existing !== undefined)

    async timelineSettings(create: boolean): Promise<TimelineSettings> {
      const statements = create ? this.#tables.statements : this.#tables.existing
      const found = statements && timeline.settings(statements, create)
      this.#schedule()
      return found ?? { key: undefined, until: 0 }
    }

    async recordTimeline(steps: readonly StoredStep[]): Promise<void> {
      const { statements } = this.#tables
      this.ctx.storage.transactionSync(() => timeline.append(statements, steps, Date.now()))
      this.#schedule()
    }

    async readTimeline(): Promise<string[]> {
      const rows = this.#tables.existing?.steps(Date.now()) ?? []
      return rows.map(({ entry }) => entry)
    }

    async switchTimeline(until: number): Promise<void> {
      timeline.switchUntil(this.#tables.statements, until)
      this.#schedule()
    }

    async trafficLease(): Promise<TrafficLease> {
      return this.#traffic?.lease() ?? NO_LEASE
    }

    async recordTraffic(entries: readonly StoredTraffic[]): Promise<TrafficLease> {
      const traffic = this.#traffic
      if (traffic === undefined) return NO_LEASE
      this.ctx.storage.transactionSync(() => traffic.append(entries))
      this.#schedule()
      return traffic.lease()
    }

    async readTraffic(request: TrafficRead): Promise<TrafficPage | undefined> {
      return this.#traffic?.read(request)
    }

    async leaveTraffic(watcher: string): Promise<void> {
      this.#traffic?.leave(watcher)
    }

    override async alarm(): Promise<void> {
      this.#alarm.reset()
      timeline.purge(this.#tables.statements, Date.now())
      this.#traffic?.purged()
      this.#schedule()
      const isUnused = () => this.#tables.statements.nextExpiry() === undefined
      await this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
    }

    #schedule(): void {
      const expiry = this.#tables.existing?.nextExpiry()
      if (expiry !== undefined) this.#alarm.wakeAt(expiry + PURGE_DELAY_MS)
    }
  }
}
