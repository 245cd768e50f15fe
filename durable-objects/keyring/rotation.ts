/** The schedule of keys: when they are created, used and deleted. Pure decisions over rows and the time. */
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How long an isolate caches the list of keys. */
export const CACHE_MS = HOUR_MS

/** How much longer an isolate uses a cached list while the keyring object does not answer. */
export const MAX_STALE_MS = 12 * HOUR_MS

/**
 * How long a key is published before its use. Longer than any list is cached, with hours to spare
 * for clock skew: every isolate knows every key in use, so it can refuse an unknown key id without
 * calling the keyring object.
 */
const PUBLISH_AHEAD_MS = DAY_MS

/** How long a key seals or signs. */
const USE_MS = 30 * DAY_MS

/** The longest lifetime of anything sealed. The key of an older seal may be deleted. */
export const MAX_SEAL_LIFE_MS = 90 * DAY_MS

/** How long a key opens seals after its successor came into use: the longest lifetime, and a day for clock skew. */
export const ACCEPT_MS = MAX_SEAL_LIFE_MS + DAY_MS

/** The longest lifetime of anything signed. */
export const MAX_SIGNED_LIFE_MS = 30 * DAY_MS

/** How long a key verifies signatures after its successor came into use. */
export const SIGNING_ACCEPT_MS = MAX_SIGNED_LIFE_MS + DAY_MS

/** Keys of one use, oldest first. `used_from` is epoch milliseconds. */
type Schedule = readonly { readonly id: string; readonly used_from: number }[]

export interface Rotation {
  /** When the key to create now comes into use; undefined when none is to be created. */
  readonly newKeyUsedFrom: number | undefined
  /** Ids of the keys that nothing unexpired can be sealed or signed with. */
  readonly expired: readonly string[]
}

/**
 * How an operator replaces keys before they are due. `publish`: by a key that every isolate knows before its
 * use, while what the present ones have sealed and signed stays valid. `discard`: at once, and everything
 * that the present keys have sealed and signed is invalid.
 */
export type KeyReplacement = 'publish' | 'discard'

/** A discard that is repeated within this time changes nothing: its answer may have been lost. */
const REPEAT_MS = 60_000

/** @returns undefined when the keys were replaced a moment ago */
export function planReplacement(
  keys: Schedule,
  replacement: KeyReplacement,
  now: number,
): Rotation | undefined {
  const newest = keys.at(-1)
  if (newest === undefined) return undefined
  if (replacement === 'publish') {
    return newest.used_from > now
      ? undefined
      : { newKeyUsedFrom: now + PUBLISH_AHEAD_MS, expired: [] }
  }
  const isRepeated = keys.length === 1 && newest.used_from > now - REPEAT_MS
  return isRepeated ? undefined : { newKeyUsedFrom: now, expired: keys.map(({ id }) => id) }
}

/** @param acceptMs how long a key is accepted after its successor came into use */
export function planRotation(keys: Schedule, now: number, acceptMs = ACCEPT_MS): Rotation {
  const expired = keys.filter(
    (_, index) => now >= (acceptedUntil(keys, index, acceptMs) ?? Infinity),
  )
  return { newKeyUsedFrom: newKeyUsedFrom(keys, now), expired: expired.map(({ id }) => id) }
}

/** When a key stops being accepted; undefined until it has a successor. */
export function acceptedUntil(
  keys: Schedule,
  index: number,
  acceptMs = ACCEPT_MS,
): number | undefined {
  const successor = keys[index + 1]
  return successor === undefined ? undefined : successor.used_from + acceptMs
}

/** When the next key is to be created or deleted; undefined when there are no keys. */
export function nextRotationAt(keys: Schedule, acceptMs = ACCEPT_MS): number | undefined {
  const newest = keys.at(-1)
  if (newest === undefined) return undefined
  const createAt = newest.used_from + USE_MS - PUBLISH_AHEAD_MS
  return Math.min(createAt, acceptedUntil(keys, 0, acceptMs) ?? Infinity)
}

function newKeyUsedFrom(keys: Schedule, now: number): number | undefined {
  const newest = keys.at(-1)
  // No isolate has cached a list yet, so the first key may be used at once.
  if (newest === undefined) return now
  const usedUntil = newest.used_from + USE_MS
  if (now < usedUntil - PUBLISH_AHEAD_MS) return undefined
  // However late the alarm runs, no key is used before every isolate knows it.
  return Math.max(usedUntil, now + PUBLISH_AHEAD_MS)
}

/** The newest key in use. @param keys oldest first */
export function keyInUse<Key extends { readonly usedFrom: number }>(
  keys: readonly Key[],
  now: number,
): Key | undefined {
  // A clock behind the object's may find no key in use yet. Every isolate knows the first one.
  return keys.findLast(({ usedFrom }) => usedFrom <= now) ?? keys[0]
}
