/** Formats and parses the positions of the change bus: a version in the change log of one shard. */
import type { ChangePosition } from '../../src/ports/change-bus.ts'

export interface HubPosition {
  /** The number of shards at the time. With another number, the changes may be on other shards. */
  readonly shards: number
  readonly shard: number
  readonly version: number
}

/** The first part. A position of another version is none, so the listener receives a gap. */
const VERSION = '1'

/** In base 36, the three numbers take at most 35 characters together, and 37 with the version. */
const RADIX = 36
const POSITION = /^1\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/

export function formatPosition({ shards, shard, version }: HubPosition): ChangePosition {
  return [VERSION, ...[shards, shard, version].map((part) => part.toString(RADIX))].join('.')
}

/** Undefined for text that is not a position. Positions come back from clients. */
export function parsePosition(position: ChangePosition): HubPosition | undefined {
  const [, shards, shard, version] = (POSITION.exec(position) ?? []).map((part) =>
    Number.parseInt(part, RADIX),
  )
  if (shards === undefined || shard === undefined || version === undefined) return undefined
  const isValid = Number.isSafeInteger(version) && shard < shards
  return isValid ? { shards, shard, version } : undefined
}
