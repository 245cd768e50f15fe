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
 */
export function freshForMs(headers: Headers, { min, max, otherwise }: FreshnessBounds): number {
  const directives = parseCacheControl(headers.get('cache-control') ?? '')
  if (directives.has('no-store') || directives.has('no-cache')) return min
  // A shared cache prefers `s-maxage` (RFC 9111 §5.2.2.10).
  const lifetime = directives.get('s-maxage') ?? directives.get('max-age')
  if (lifetime === undefined) return clamp(otherwise, min, max)
  const age = seconds(headers.get('age') ?? '') ?? 0
  return clamp(((seconds(lifetime) ?? 0) - age) * 1000, min, max)
}

function parseCacheControl(text: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>()
  for (const part of text.split(',', 32)) {
    const [name = '', value = ''] = part.split('=', 2)
    directives.set(name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, ''))
  }
  return directives
}

function seconds(text: string): number | undefined {
  return /^\d+$/.test(text.trim()) ? Number(text) : undefined
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
