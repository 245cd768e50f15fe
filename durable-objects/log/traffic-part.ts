/** The part of a log object that the inspector brings. The object has its rows, and deletes those that expire. */
import { ExtensionPoint } from '../../src/feature/extension-point.ts'
import type {
  StoredTraffic,
  TrafficLease,
  TrafficPage,
  TrafficRead,
} from '../../src/ports/traffic.ts'
import type { Tables } from '../tables.ts'
import type { Statements } from './schema.ts'

export interface TrafficPart {
  lease(): TrafficLease
  append(entries: readonly StoredTraffic[]): void
  /** Undefined when too many streams read. */
  read(request: TrafficRead): Promise<TrafficPage | undefined>
  leave(watcher: string): void
  /** Rows were deleted. */
  purged(): void
}

/** Undefined without `inspector()`. */
export type CreateTrafficPart = (tables: Tables<Statements>) => TrafficPart | undefined

export const TRAFFIC_PART = new ExtensionPoint<(tables: Tables<Statements>) => TrafficPart>()
