import { describe, expect, it } from 'vitest'
import { readAccept } from '../../src/transport/accept.ts'

/** `Accept`; `json`, `sse`, `sseAllowed`, `complete`. */
const TABLE: readonly (readonly [string | null, boolean, boolean, boolean, boolean])[] = [
  ['application/json, text/event-stream', true, true, true, true],
  ['TEXT/Event-Stream;q=0.5,Application/JSON', true, true, true, true],
  ['application/json', true, false, false, false],
  ['application/*', true, false, false, false],
  ['text/event-stream', false, true, true, false],
  ['text/*', false, true, true, false],
  ['*/*', true, false, true, false],
  [null, true, false, true, false],
  ['', true, false, true, false],
  ['text/html', false, false, false, false],
  ['application/json;q=0, text/event-stream;q=0.0', false, false, false, false],
  ['*/*;q=0', false, false, false, false],
  // A more specific range takes precedence over a wildcard, in any order.
  ['application/json;q=0, */*', false, true, true, false],
  ['*/*, application/json;q=0.000', false, true, true, false],
  ['*/*, text/event-stream;q=0', true, false, false, false],
  ['application/json, text/event-stream;q=0', true, false, false, false],
]

describe('readAccept', () => {
  it.each(TABLE)(
    'reads %j as json %s, sse %s, sseAllowed %s, complete %s',
    (header, json, sse, sseAllowed, complete) => {
      expect(readAccept(header)).toEqual({ json, sse, sseAllowed, complete })
    },
  )
})
