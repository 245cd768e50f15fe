/** How long a response is fresh according to its headers. @see https://www.rfc-editor.org/rfc/rfc9111#section-4.2 */

/** Milliseconds. */
export interface FreshnessBounds {
  readonly min: number
  readonly max: number
  /** For a response without a lifetime. */
  readonly otherwise: number
}

/**
 * Returns how long a response is fresh, within the bounds. The lower bound also applies to `no-store`,
 * because one connection needs a document in several steps.
 *
 * @param now when the response was received, in epoch milliseconds
 */
export function freshForMs(
  headers: Headers,
  { min, max, otherwise }: FreshnessBounds,
  now: number,
): number {
  const directives = parseCacheControl(headers.get('cache-control') ?? '')
  if (directives.has('no-store') || directives.has('no-cache')) return min
  // A shared cache prefers `s-maxage` (RFC 9111 §5.2.2.10).
  const lifetime = directives.get('s-maxage') ?? directives.get('max-age')
  const lifetimeMs = lifetime === undefined ? expiresInMs(headers, now) : inMs(lifetime)
  if (lifetimeMs === undefined) return clamp(otherwise, min, max)
  return clamp(lifetimeMs - inMs(headers.get('age') ?? ''), min, max)
}

/** The lifetime by `Expires`; undefined without one. A date that is not valid is in the past (RFC 9111 §5.3). */
function expiresInMs(headers: Headers, now: number): number | undefined {
  const expires = headers.get('expires')
  if (expires === null) return undefined
  const sentAt = Date.parse(headers.get('date') ?? '') || now
  return (Date.parse(expires) || 0) - sentAt
}

function parseCacheControl(text: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>()
  for (const part of text.split(',', 32)) {
    const [name = '', value = ''] = part.split('=', 2)
    directives.set(name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, ''))
  }
  return directives
}

/** The milliseconds of a number of seconds; 0 for any other text. */
function inMs(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) * 1000 : 0
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
