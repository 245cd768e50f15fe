/** Where in the news a listener is: which shard it hears from, of how many, and up to what. */
import type { ChangePosition } from '../../src/ports/change-bus.ts'

export interface HubPosition {
  /** How many shards there were: with another number the news may have gone elsewhere. */
  readonly shards: number
  readonly shard: number
  readonly version: number
}

/** Base 36 keeps three numbers, however large, below 36 characters. */
const RADIX = 36
const POSITION = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/

export function formatPosition({ shards, shard, version }: HubPosition): ChangePosition {
  return [shards, shard, version].map((part) => part.toString(RADIX)).join('.')
}

/** Undefined for anything that is no place: a position comes back from outside. */
export function parsePosition(position: ChangePosition): HubPosition | undefined {
  const [, shards, shard, version] = (POSITION.exec(position) ?? []).map((part) =>
    Number.parseInt(part, RADIX),
  )
  if (shards === undefined || shard === undefined || version === undefined) return undefined
  const isPlace = Number.isSafeInteger(version) && shard < shards
  return isPlace ? { shards, shard, version } : undefined
}
