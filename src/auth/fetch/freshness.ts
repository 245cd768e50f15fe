/** How long an answer may be gone by, as its headers say. @see https://www.rfc-editor.org/rfc/rfc9111#section-4.2 */

/** Milliseconds. */
export interface FreshnessBounds {
  readonly min: number
  readonly max: number
  /** Where the headers say nothing. */
  readonly otherwise: number
}

/**
 * The time for which an answer is fresh, within the bounds. The lower one holds against `no-store` as
 * well: what was fetched for one step of a connection must do for the next one.
 */
export function freshForMs(headers: Headers, { min, max, otherwise }: FreshnessBounds): number {
  const directives = parseCacheControl(headers.get('cache-control') ?? '')
  if (directives.has('no-store') || directives.has('no-cache')) return min
  // This cache serves everybody, so the shared lifetime goes first.
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
