/** The reader of event streams that the tests use. */
import { expect, it } from 'vitest'
import { SseParser } from '../sse-parser.ts'

const BYTES = new TextEncoder().encode(
  ': begins\n\nid: 1\ndata: {"text":"né 🎈"}\n\nid: 2\ndata: x\n\n',
)

it('reads the same events however the bytes are cut', () => {
  const whole = new SseParser().push(BYTES)
  expect(whole).toHaveLength(3)
  for (let size = 1; size <= BYTES.length; size++) {
    const parser = new SseParser()
    const events = []
    for (let at = 0; at < BYTES.length; at += size) {
      events.push(...parser.push(BYTES.subarray(at, at + size)))
    }
    expect(events, `pieces of ${size} bytes`).toEqual(whole)
    expect(parser.lastId).toBe('2')
  }
})
