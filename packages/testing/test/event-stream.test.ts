/** The events that the test client and the inspector read from a stream, however its bytes are cut. */
import { describe, expect, it } from 'vitest'
import { eventsOf, type WireEvent } from '../src/wire-message.ts'

const LINES = [
  ': open',
  '',
  'id: 1',
  'retry: 500',
  'data:',
  '',
  'event: endpoint',
  'data: /messages?id=1',
  '',
  'data: {"text":',
  'data:"a: é😀"}',
  'data',
  'unknown: x',
  '',
  'event: message',
  'data:  two spaces',
  '',
  'event:',
  'data: last',
  '',
]

const EVENTS = [
  { event: 'endpoint', data: '/messages?id=1' },
  { event: 'message', data: '{"text":\n"a: é😀"}\n' },
  { event: 'message', data: ' two spaces' },
  { event: 'message', data: 'last' },
]

async function read(...chunks: readonly Uint8Array[]): Promise<readonly WireEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const events: WireEvent[] = []
  for await (const event of eventsOf(body)) events.push(event)
  return events
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('an event stream whose lines end with %s', (_, end) => {
  const bytes = bytesOf(LINES.map((line) => `${line}${end}`).join(''))

  it('has the same events wherever its bytes are cut', async () => {
    expect(await read(bytes)).toEqual(EVENTS)
    for (let at = 1; at < bytes.length; at++) {
      const cut = await read(bytes.subarray(0, at), new Uint8Array(), bytes.subarray(at))
      expect([at, cut]).toEqual([at, EVENTS])
    }
    const single = [...bytes].map((byte) => Uint8Array.of(byte))
    expect(await read(...single)).toEqual(EVENTS)
  })

  it.each([
    ['within its type', 'event: mess'],
    ['after its type', `event: endpoint${end}`],
    ['within its data', 'data: {"jsonrpc"'],
    ['before its empty line', `data: {}${end}`],
  ])('has no event that is cut %s when the stream ends', async (_, cut) => {
    expect(await read(bytesOf(`data: whole${end}${end}${cut}`))).toEqual([
      { event: 'message', data: 'whole' },
    ])
  })
})
