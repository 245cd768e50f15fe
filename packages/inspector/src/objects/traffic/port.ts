/** The store of the inspector: what was recorded of requests, and who watches it. */

import { ServiceKey } from '../../../../../src/ports/service-key.ts'

/** An entry as it is stored. */
export interface StoredTraffic {
  readonly at: number
  /** The subject whose arguments and results the entry has in full, in production; null for none. */
  readonly owner: string | null
  /** JSON of a `TrafficEntry` without its number. */
  readonly entry: string
}

/** An entry with the number that the store has given to it. */
export interface NumberedTraffic extends Omit<StoredTraffic, 'at'> {
  readonly number: number
}

export interface TrafficRead {
  /** Entries with a greater number are returned. Undefined: those that will be stored. */
  readonly after: number | undefined
  /** How long to wait for an entry, in milliseconds. */
  readonly waitMs: number
  /** A random name of the stream that reads. */
  readonly watcher: string
  /** Who reads; undefined in development. */
  readonly subject: string | undefined
}

export interface TrafficPage {
  /** In the order of their numbers. */
  readonly entries: readonly NumberedTraffic[]
  /** The greatest number that was read or skipped, to continue after. */
  readonly last: number
}

/** Until when production is recorded, because a stream reads it. */
export interface TrafficLease {
  /** In epoch milliseconds; 0 where nothing reads. */
  readonly until: number
  /** Who reads. */
  readonly subjects: readonly string[]
}

export interface TrafficStore {
  lease(): Promise<TrafficLease>
  append(entries: readonly StoredTraffic[]): Promise<TrafficLease>
  /** Undefined when too many streams read. */
  read(request: TrafficRead): Promise<TrafficPage | undefined>
  /** The stream of this name is over: another one may read in its place. */
  leave(watcher: string): Promise<void>
}

export const TRAFFIC_STORE = new ServiceKey<TrafficStore>('traffic')
