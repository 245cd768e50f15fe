/** SSE framing: a reference parser reads what was sent, however the bytes are cut. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../src/protocol/json.ts'
import {
  endpointEvent,
  KEEP_ALIVE,
  messageEvent,
  messageEventText,
  OPENING,
  primingEvent,
} from '../../src/transport/sse/event.ts'
import { PADDED_JSON } from '../../src/transport/sse/frames.ts'
import { runs } from './settings.ts'

const encoder = new TextEncoder()

/** What the reference parser must find in a frame. */
interface Frame {
  readonly bytes: Uint8Array
  readonly events: readonly { id?: string; event?: string; data: string }[]
  readonly retries: readonly number[]
}

const json = fc
  .oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant('\n\r\u2028data: x\n\n'))
  .map(jsonText)
const id = fc.stringMatching(/^[A-Za-z0-9._~-]{1,20}$/)
const retry = fc.nat({ max: 100_000 })
const path = fc.stringMatching(/^\/[a-z]{1,8}\?session=[A-Za-z0-9._-]{1,8}$/)

const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.constantFrom(OPENING, KEEP_ALIVE).map((bytes) => ({ bytes, events: [], retries: [] })),
  json.map((data) => ({
    bytes: messageEvent(data),
    events: [{ event: 'message', data }],
    retries: [],
  })),
  fc.tuple(json, id).map(([data, own]) => ({
    bytes: encoder.encode(messageEventText(data, own)),
    events: [{ id: own, event: 'message', data }],
    retries: [],
  })),
  fc.tuple(id, retry).map(([own, ms]) => ({
    bytes: primingEvent(own, ms),
    events: [{ id: own, data: '' }],
    retries: [ms],
  })),
  fc.tuple(path, retry).map(([data, ms]) => ({
    bytes: endpointEvent(data, ms),
    events: [{ event: 'endpoint', data }],
    retries: [ms],
  })),
)

function join(chunks: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(chunks.flatMap((chunk) => [...chunk]))
}

/** Cuts the bytes into chunks, and reads them as a client does. */
function readInChunks(bytes: Uint8Array, cuts: Iterator<number>) {
  const events: EventSourceMessage[] = []
  const retries: number[] = []
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onRetry: (ms) => retries.push(ms),
    onError: (error) => {
      throw error
    },
  })
  const decoder = new TextDecoder()
  for (let at = 0; at < bytes.length; ) {
    const end = at + (cuts.next().value ?? 1)
    parser.feed(decoder.decode(bytes.subarray(at, end), { stream: true }))
    at = end
  }
  return { events, retries }
}

const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 30 }))

describe('a stream of server-sent events', () => {
  it('is read by the reference parser as the events that were sent, wherever its bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), cuts, (frames, sizes) => {
        const { events, retries } = readInChunks(join(frames.map(({ bytes }) => bytes)), sizes)
        expect(events).toEqual(frames.flatMap((one) => one.events))
        expect(retries).toEqual(frames.flatMap((one) => one.retries))
      }),
      runs(400),
    )
  })

  it('contains for every message the JSON of the message itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), cuts, (value, sizes) => {
        const { events } = readInChunks(messageEvent(jsonText(value)), sizes)
        expect(JSON.stringify(JSON.parse(events[0]?.data ?? ''))).toBe(
          JSON.stringify(JSON.parse(jsonText(value))),
        )
      }),
      runs(300),
    )
  })

  it('never has an event of an incomplete frame', () => {
    fc.assert(
      fc.property(json, id, fc.nat(), cuts, (data, own, cut, sizes) => {
        const whole = encoder.encode(messageEventText(data, own))
        const { events } = readInChunks(whole.subarray(0, cut % whole.length), sizes)
        expect(events).toEqual([])
      }),
      runs(300),
    )
  })
})

describe('a padded JSON response', () => {
  it('is one JSON text, after any number of keep-alive frames', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 20 }), (value, count) => {
        const { opening, keepAlive, message } = PADDED_JSON
        const before = Array.from({ length: count }, () => keepAlive)
        const bytes = join([opening, ...before, message(jsonText(value))])
        const read = JSON.parse(new TextDecoder().decode(bytes))
        expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(jsonText(value))))
      }),
      runs(200),
    )
  })
})
