/** The spans of handlers that run in the objects of sessions and tasks. */
// features: sessions, tasks

import { describe, expect, it } from 'vitest'
import { HttpSession, initialize } from '../../../../test/support/http-session.ts'
import { TASKS } from '../../../../test/support/task-server.ts'
import type { TrafficEntry } from '../../src/inspector/traffic-entry.ts'
import { openTraffic, type TrafficReader } from './support/inspected-server.ts'
import { send } from './support/object-server.ts'

const ORIGIN = 'http://localhost:8787'
const MODERN = '2026-07-28'

const openReader = () => openTraffic((path, init) => send(new Request(`${ORIGIN}${path}`, init)))

/** Reads until the exchange that has called a tool has these spans, in any order, and returns all its spans. */
async function spansWith(traffic: TrafficReader, names: readonly string[]): Promise<string[]> {
  const entries: TrafficEntry[] = []
  const isCall = (entry: TrafficEntry) =>
    entry.kind === 'message' &&
    entry.from === 'client' &&
    (entry.message as { method?: string }).method === 'tools/call'
  for (;;) {
    const call = entries.find(isCall)
    const spans = entries.flatMap((entry) =>
      entry.kind === 'span' && entry.exchange === call?.exchange ? [entry.name] : [],
    )
    if (names.every((name) => spans.includes(name))) return spans.toSorted()
    entries.push(await traffic.next())
  }
}

describe('the traffic of a call that runs in an object', () => {
  it('has the spans of its handler and its steps in the object of its session', async () => {
    const traffic = await openReader()
    const id = await initialize({ url: `${ORIGIN}/mcp`, fetch: send })
    const session = new HttpSession({ url: `${ORIGIN}/mcp`, fetch: send }, id, '2025-11-25')
    await session.callTool('weigh', { parcel: 'book' })
    const names = ['handler weigh', 'object-call session.post', 'step scale']
    expect(await spansWith(traffic, names)).toEqual(names)
  })

  it('has the spans of its handler and its steps in the object of its task, also after a wait', async () => {
    const traffic = await openReader()
    await send(
      new Request(`${ORIGIN}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MODERN,
          'mcp-method': 'tools/call',
          'mcp-name': 'send',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'send',
            arguments: { parcel: 'book' },
            _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN, ...TASKS },
          },
        }),
      }),
    )
    const names = ['handler tools/call', 'object-call task.start', 'step collect', 'step stamp']
    expect(new Set(await spansWith(traffic, names))).toEqual(new Set(names))
  })
})
