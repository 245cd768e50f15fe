/** How long a subscription lives. */
import type { EventSettings } from '../event-settings.ts'

/**
 * Returns milliseconds; null for no expiry. At most what the client suggests, except for the floor: no suggestion is an
 * error.
 *
 * @param wanted null: no expiry is wanted; undefined, and a value that is no number: the default
 */
export function grantedTtl(
  wanted: number | null | undefined,
  {
    limits: { minTtlMs, defaultTtlMs, maxTtlMs },
    allowsNoExpiry,
  }: Pick<EventSettings, 'limits' | 'allowsNoExpiry'>,
): number | null {
  if (wanted === null) return allowsNoExpiry ? null : maxTtlMs
  if (wanted === undefined || Number.isNaN(wanted)) return defaultTtlMs
  return Math.floor(Math.min(Math.max(wanted, minTtlMs), maxTtlMs))
}
