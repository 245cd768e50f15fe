/** What a client can read: one JSON object, or a stream of events. */

export interface Accepted {
  readonly json: boolean
  /** Named by the client; a wildcard is not taken as leave to stream what can be answered in JSON. */
  readonly sse: boolean
  /** Named, or not ruled out: for what only a stream can answer. */
  readonly sseIfNeeded: boolean
  /** Whether both are named, as the specification asks of a client. */
  readonly complete: boolean
}

const BOTH: Accepted = { json: true, sse: true, sseIfNeeded: true, complete: true }

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 */
export function readAccept(header: string | null): Accepted {
  if (header === 'application/json, text/event-stream') return BOTH
  if (header === null || header.trim() === '') {
    return { json: true, sse: false, sseIfNeeded: true, complete: false }
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
  // The more specific range counts, whatever a wildcard says.
  const noJson = excluded.has('application/json')
  const mayStream = (sse || wildcard) && !excluded.has('text/event-stream')
  return {
    json: (json || wildcard) && !noJson,
    sse: mayStream && (sse || noJson),
    sseIfNeeded: mayStream,
    complete: json && sse && !noJson && mayStream,
  }
}
