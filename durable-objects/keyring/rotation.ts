/** When keys are made, used and dropped: pure decisions over the rows of a keyring and the time. */
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How long an isolate goes by a list of keys before it asks for it again. */
export const CACHE_MS = HOUR_MS

/** How much longer it goes by that list while the object does not answer. */
export const MAX_STALE_MS = 12 * HOUR_MS

/**
 * How long a key is known before anything is sealed or signed with it. Longer than any list is gone by, with
 * hours to spare for clocks that differ: so every isolate knows every key that can occur, and an
 * unknown id is a forgery that need not be looked up.
 */
export const PUBLISH_AHEAD_MS = DAY_MS

/** How long a key seals, or signs. */
export const USE_MS = 30 * DAY_MS

/** The longest life of anything sealed. What is sealed for longer stops opening without notice. */
export const MAX_SEAL_LIFE_MS = 90 * DAY_MS

/** How long a key opens once its successor seals: the longest life, and a day for slow clocks. */
export const ACCEPT_MS = MAX_SEAL_LIFE_MS + DAY_MS

/** The longest life of anything signed. */
export const MAX_SIGNED_LIFE_MS = 30 * DAY_MS

/** How long a key verifies once its successor signs. */
export const SIGNING_ACCEPT_MS = MAX_SIGNED_LIFE_MS + DAY_MS

/** Oldest first; `used_from` is epoch ms. */
type Schedule = readonly { readonly id: string; readonly used_from: number }[]

export interface Rotation {
  /** When the key that is to be made now comes into use; undefined where none is due. */
  readonly makeFrom: number | undefined
  /** The ids of keys that nothing alive can be sealed with. */
  readonly expired: readonly string[]
}

/** @param acceptMs how long a key is accepted once its successor is used */
export function planRotation(keys: Schedule, now: number, acceptMs = ACCEPT_MS): Rotation {
  const expired = keys.filter(
    (_, index) => now >= (acceptedUntil(keys, index, acceptMs) ?? Infinity),
  )
  return { makeFrom: successorFrom(keys, now), expired: expired.map(({ id }) => id) }
}

/** When a key stops being accepted: unknown until it has a successor. */
export function acceptedUntil(
  keys: Schedule,
  index: number,
  acceptMs = ACCEPT_MS,
): number | undefined {
  const successor = keys[index + 1]
  return successor === undefined ? undefined : successor.used_from + acceptMs
}

/** When there is something to rotate next; undefined for a keyring without keys. */
export function nextRotationAt(keys: Schedule, acceptMs = ACCEPT_MS): number | undefined {
  const newest = keys.at(-1)
  if (newest === undefined) return undefined
  const makeAt = newest.used_from + USE_MS - PUBLISH_AHEAD_MS
  return Math.min(makeAt, acceptedUntil(keys, 0, acceptMs) ?? Infinity)
}

function successorFrom(keys: Schedule, now: number): number | undefined {
  const newest = keys.at(-1)
  // Nobody holds a list yet, so the first key needs no notice.
  if (newest === undefined) return now
  const usedUp = newest.used_from + USE_MS
  if (now < usedUp - PUBLISH_AHEAD_MS) return undefined
  // However late the alarm: no key is used before everybody knows it.
  return Math.max(usedUp, now + PUBLISH_AHEAD_MS)
}
