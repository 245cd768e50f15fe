/** Parses the events of a stream that has been read to its end. */

export interface StreamEvent {
  readonly id: string | undefined
  /** Empty for an event that carries only an id. */
  readonly data: string
}

/** Parses events with one line of data. Comments and `retry` fields are ignored. */
export function eventsOf(text: string): readonly StreamEvent[] {
  return text
    .split('\n\n')
    .map((event) => ({ id: fieldOf(event, 'id'), data: fieldOf(event, 'data') ?? '' }))
    .filter(({ id, data }) => id !== undefined || data !== '')
}

function fieldOf(event: string, name: string): string | undefined {
  const line = event.split('\n').find((each) => each.startsWith(`${name}:`))
  return line?.slice(name.length + 1).trim()
}
