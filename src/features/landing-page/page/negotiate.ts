/** Chooses the form of the page by `Accept`. */

export type Form = 'html' | 'json'

interface Range {
  readonly type: string
  readonly subtype: string
  readonly weight: number
}

/** The first one is sent when the client prefers none. */
const FORMS = [
  ['html', 'text', 'html'],
  ['json', 'application', 'json'],
] as const

/**
 * Undefined when the client accepts neither form.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function chooseForm(accept: string | null): Form | undefined {
  if (accept === null || accept.trim() === '') return 'html'
  const ranges = accept.toLowerCase().split(',').flatMap(parseRange)
  let chosen: Form | undefined
  let best = 0
  for (const [form, type, subtype] of FORMS) {
    const weight = weightOf(ranges, type, subtype)
    if (weight > best) {
      chosen = form
      best = weight
    }
  }
  return chosen
}

/** Ranges with parameters, such as `text/html;level=1`, match the type without them. */
function parseRange(text: string): readonly Range[] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim())
  const [type = '', subtype = '', ...more] = range.split('/')
  if (type === '' || subtype === '' || more.length > 0) return []
  const q = parameters.find((parameter) => /^q\s*=/.test(parameter))
  const weight = q === undefined ? 1 : Number(q.slice(q.indexOf('=') + 1))
  return [{ type, subtype, weight: weight >= 0 && weight <= 1 ? weight : 0 }]
}

/** The most specific range decides. */
function weightOf(ranges: readonly Range[], type: string, subtype: string): number {
  const found =
    ranges.find((range) => range.type === type && range.subtype === subtype) ??
    ranges.find((range) => range.type === type && range.subtype === '*') ??
    ranges.find((range) => range.type === '*' && range.subtype === '*')
  return found?.weight ?? 0
}
