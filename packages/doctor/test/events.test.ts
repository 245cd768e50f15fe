/** `edgeway doctor` on servers with events: a correct one, and the same broken in one way at a time. */
import { describe, expect, it } from 'vitest'
import { NOTE } from '../../faults/test/planted/events.ts'
import {
  endless,
  json,
  onMethod,
  onResult,
  rejectsModern,
} from '../../faults/test/planted/plant.ts'
import { CLIENTS } from '../src/doctor/clients.ts'
import type { Observations } from '../src/doctor/observations.ts'
import type { EventsObservation } from '../src/doctor/probes/events/events.ts'
import { events } from '../src/doctor/steps/events/events.ts'
import { codesOf, disconnected, examineQuickly } from './examine.ts'
import { startEventServer } from './reference-events.ts'
import { startReferenceServer } from './reference-server.ts'
import { stoppedAfterAll } from './started.ts'

const started = stoppedAfterAll()

const ACTIVE = { active: true, eventWaitMs: 700 }

type Options = Parameters<typeof startEventServer>[0]

async function examineEvents(options: Options, doctor: object = ACTIVE) {
  const server = await startEventServer(options)
  try {
    return { report: await examineQuickly(server.url, doctor), requests: server.requests }
  } finally {
    await server.stop()
  }
}

const methodsOf = (requests: readonly { readonly json: { readonly method?: unknown } }[]) =>
  new Set(requests.map(({ json: { method } }) => method))

describe('the doctor at a server with events', () => {
  it.concurrent('finds nothing when the server is correct, and gets a delivery', async ({
    expect,
  }) => {
    const { report, requests } = await examineEvents({})
    expect(codesOf(report)).toEqual([])
    expect(disconnected(report)).toEqual([])
    expect(report.notes.filter((note) => /event|subscription/i.test(note))).toEqual([])
    expect(methodsOf(requests)).toContain('events/unsubscribe')
  })

  it.concurrent('subscribes to nothing without --active, and says so', async ({ expect }) => {
    const { report, requests } = await examineEvents({}, { active: false })
    expect(codesOf(report)).toEqual([])
    expect(methodsOf(requests)).not.toContain('events/subscribe')
    expect(report.notes.join('\n')).toMatch(/Subscriptions by webhook were not examined/)
    expect(report.notes.join('\n')).toMatch(/heartbeats of events\/stream were not examined/)
  })

  it.concurrent('says that no subscription was made when a callback on this computer is refused', async ({
    expect,
  }) => {
    const { report } = await examineEvents({ sender: { refusesLocal: true } })
    expect(codesOf(report)).toEqual([])
    expect(report.notes.join('\n')).toMatch(/refuses a callback on this computer, as it should/)
  })

  it.concurrent('reports the refusal of a callback that --callback names', async ({ expect }) => {
    const callback = new URL('http://127.0.0.1:18976/')
    const options = { ...ACTIVE, callback }
    const { report } = await examineEvents({ sender: { refusesLocal: true } }, options)
    expect(codesOf(report)).toEqual(['events-subscribe-failed'])
  })

  it.concurrent('reports a callback that is accepted without a challenge, unless it is on this computer', async ({
    expect,
  }) => {
    const sender = { skipsChallenge: true }
    expect(codesOf((await examineEvents({ sender })).report)).toEqual([])
    const options = { ...ACTIVE, callback: new URL('http://127.0.0.1:18977/hooks/') }
    const { report } = await examineEvents({ sender }, options)
    expect(codesOf(report)).toEqual(['events-callback-unverified'])
  })

  it.concurrent('says that no event occurred when none arrives', async ({ expect }) => {
    const { report } = await examineEvents(
      { sender: { isSilent: true } },
      { ...ACTIVE, eventWaitMs: 20 },
    )
    expect(codesOf(report)).toEqual([])
    expect(report.notes.join('\n')).toMatch(/No event occurred within \d+ seconds/)
  })

  it.concurrent('says that it does not know the arguments of a type', async ({ expect }) => {
    const inputSchema = { type: 'object', required: ['id'], properties: { id: { type: 'object' } } }
    const defect = onResult('events/list', () => ({ events: [{ ...NOTE, inputSchema }] }))
    const { report } = await examineEvents({ defect })
    expect(codesOf(report)).toEqual([])
    expect(report.notes.join('\n')).toMatch(
      /by poll and push and webhook: each type needs arguments/,
    )
  })

  it.concurrent('polls and subscribes in a session when the server has no modern era', async ({
    expect,
  }) => {
    const { report, requests } = await examineEvents({ defect: rejectsModern })
    expect(codesOf(report)).toEqual([])
    const methods = methodsOf(requests)
    expect(methods).toContain('events/subscribe')
    expect(methods).not.toContain('events/stream')
  })

  it.concurrent('sends nothing about events to a server that declares none', async ({ expect }) => {
    const server = await started(startReferenceServer())
    await examineQuickly(server.url, ACTIVE)
    const methods = [...methodsOf(server.requests)].map(String)
    expect(methods.filter((method) => method.startsWith('events/'))).toEqual([])
  })
})

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('the doctor at a hostile server with events', () => {
  const quick = { ...ACTIVE, timeoutMs: 3000 }

  it.concurrent.for([
    [
      'an endless stream of messages',
      endless('text/event-stream', 'data: {"jsonrpc":"2.0"}\n\n'),
      'events-stream-not-active',
    ],
    [
      'a stream of one endless line',
      endless('text/event-stream', 'data: x'),
      'events-stream-not-active',
    ],
    ['a stream of comments', endless('text/event-stream', ': x\n\n'), 'events-stream-not-active'],
  ] as const)('ends in time when events/stream is %s', async ([, answer, code], { expect }) => {
    const defect = onMethod('events/stream', (_, next) =>
      next?.headers?.['content-type'] === 'text/event-stream' ? answer : next,
    )
    const { report } = await examineEvents({ defect }, quick)
    expect(codesOf(report)).toContain(code)
  })

  it.concurrent('ends in time when the server posts endless bodies to its receiver', async ({
    expect,
  }) => {
    const sender = { delivery: () => ({ body: 'x'.repeat(4 * 1024 * 1024) }) }
    const { report } = await examineEvents({ sender }, ACTIVE)
    expect(codesOf(report)).toEqual([])
    expect(report.notes.join('\n')).toMatch(/No event occurred/)
  })

  it.concurrent('names what is wrong when values are nested deeply or not printable', async ({
    expect,
  }) => {
    const type = { ...NOTE, name: '\u001b[2J', delivery: ['poll'], inputSchema: 'deep' }
    const result = JSON.stringify({ events: [type] }).replace('"deep"', deep(20_000))
    const defect = onMethod('events/list', (id) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
    }))
    const { report } = await examineEvents({ defect }, quick)
    const text = JSON.stringify(report)
    expect(text).not.toContain('\u001b')
    expect(codesOf(report)).toContain('events-poll-failed')
  })

  it.concurrent('reports each answer that is no JSON-RPC', async ({ expect }) => {
    const defect = onMethod('events/list', () => json('nothing', 200))
    const { report } = await examineEvents({ defect }, quick)
    expect(codesOf(report)).toEqual(['events-list-failed'])
  })
})

describe('the step of events', () => {
  const stream = {
    id: '1',
    messages: [
      {
        jsonrpc: '2.0',
        method: 'notifications/events/active',
        params: { cursor: null, _meta: { 'io.modelcontextprotocol/subscriptionId': '1' } },
      },
    ],
    firstAfterMs: 10,
    longestSilenceMs: 32_490,
    watchedMs: 32_500,
    comments: 2,
    hasEnded: false,
  }
  const found = (change: object) => {
    const seen: EventsObservation = {
      declared: [],
      list: { method: 'events/list', member: 'events', pages: [], isEndless: false },
      untestable: [],
      push: { type: 'note', refused: [], stream: { ...stream, ...change } },
    }
    const [client] = CLIENTS
    if (client === undefined) throw new Error('No client')
    return events.check({ events: seen } as unknown as Observations, client)
  }

  it('finds a stream without a heartbeat, and counts the comments in its place', () => {
    expect(found({})).toEqual([
      { code: 'events-stream-silent', message: 'No message for 32 seconds, and 2 comments' },
    ])
  })

  it('finds nothing in a silence of 31 seconds', () => {
    expect(found({ longestSilenceMs: 31_000 })).toEqual([])
  })

  it('finds a first message that comes late', () => {
    expect(found({ firstAfterMs: 6000, longestSilenceMs: 6000 }).map(({ code }) => code)).toEqual([
      'events-stream-not-active',
    ])
  })
})
