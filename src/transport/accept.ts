/** Parses `Accept`. `answer-form.ts` decides the form of the answer from it. */

export interface Accepted {
  readonly json: boolean
  /** The client named `text/event-stream`, or excluded JSON. A wildcard does not count. */
  readonly sse: boolean
  /** The client named `text/event-stream`, or did not exclude it. */
  readonly sseAllowed: boolean
  /** The client named both types, as the specification requires. */
  readonly complete: boolean
}

const BOTH: Accepted = { json: true, sse: true, sseAllowed: true, complete: true }

/** For the items of a batch, whose answers are joined to one JSON array. */
export const JSON_ONLY: Accepted = { json: true, sse: false, sseAllowed: false, complete: true }

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 */
export function readAccept(header: string | null): Accepted {
  if (header === 'application/json, text/event-stream') return BOTH
  if (header === null || header.trim() === '') {
    return { json: true, sse: false, sseAllowed: true, complete: false }
  }
  let json = false
  let sse = false
  let wildcard = false
  const excluded = new Set<string>()
  for (const range of header.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    if (parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))) {
      excluded.add(type)
      continue
    }
    if (type === 'application/json') json = true
    else if (type === 'text/event-stream' || type === 'text/*') sse = true
    else if (type === '*/*') wildcard = true
    else if (type === 'application/*') json = true
  }
  // A more specific range takes precedence over a wildcard.
  const noJson = excluded.has('application/json')
  const sseAllowed = (sse || wildcard) && !excluded.has('text/event-stream')
  return {
    json: (json || wildcard) && !noJson,
    sse: sseAllowed && (sse || noJson),
    sseAllowed,
    complete: json && sse && !noJson && sseAllowed,
  }
}
