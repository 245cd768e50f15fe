/** Events in the inspector: types, subscriptions, one event by hand, and what objects report of deliveries. */
// features: events
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Recorder } from '../../../../src/dispatch/recorder.ts'
import type { EventReport } from '../../../../src/ports/telemetry.ts'
import { answerCalls } from '../../../../test/auth/server/support/scoped-objects.ts'
import { defineEvent, events } from '../../../events/src/index.ts'
import { TrafficWriter } from '../../src/inspector/traffic-writer.ts'
import { observeObject } from '../../src/inspector/watched-request.ts'
import type { StoredTraffic } from '../../src/objects/traffic/port.ts'
import { createBindings } from '../timeline/support/recorded-server.ts'
import { openInspected, PRODUCTION } from './support/inspected-server.ts'

const note = defineEvent('note.changed', {
  description: 'A note has changed.',
  payload: z.object({ topic: z.string() }),
})

const SUBSCRIPTION = {
  id: 'sub_1',
  type: 'note.changed',
  arguments: '{}',
  callback: 'https://hooks.example',
  clientId: undefined,
  state: 'active',
  createdAt: 1,
  expiresAt: 2,
  pending: 0,
  lastDeliveryAt: undefined,
  lastError: undefined,
}

/** A server whose objects of events are stubs that keep what is emitted. */
function open({
  origin,
  anonymousPrincipal,
}: {
  origin?: string
  anonymousPrincipal?: string
} = {}) {
  const emitted: unknown[] = []
  const answers: Readonly<Record<string, (...parameters: readonly unknown[]) => unknown>> = {
    subscriptions: async () => [SUBSCRIPTION],
    subscribe: async () => ({
      ok: false,
      error: { name: 'CallbackEndpointError', data: { reason: 'challenge_failed' } },
    }),
    emit: async (_: unknown, occurrence: unknown) => {
      emitted.push(occurrence)
      return { position: 1, isNew: true }
    },
  }
  const server = openInspected({
    ...(origin !== undefined && { origin }),
    bindings: answerCalls(createBindings(), ({ kind, method, parameters }, next) =>
      kind === 'log' || kind === 'subscriber' ? answers[method]?.(...parameters) : next(),
    ),
    app: {
      events: events({
        types: [note],
        ...(anonymousPrincipal !== undefined && { anonymousPrincipal }),
      }),
    },
  })
  return { ...server, emitted }
}

const emit = (body: unknown, headers: HeadersInit = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const ONE = { type: 'note.changed', data: { topic: 'a' } }

describe('GET /inspect/events.json', () => {
  it('has the event types, and the subscriptions of the principal of anonymous callers', async () => {
    const { fetch } = open({ anonymousPrincipal: 'everyone' })
    expect(await (await fetch('/inspect/events.json')).json()).toEqual({
      types: [
        {
          name: 'note.changed',
          description: 'A note has changed.',
          delivery: ['poll', 'push', 'webhook'],
          inputSchema: { type: 'object', additionalProperties: false },
          payloadSchema: expect.objectContaining({ type: 'object' }),
        },
      ],
      subscriptions: [JSON.parse(JSON.stringify(SUBSCRIPTION))],
    })
  })

  it('has no subscriptions where anonymous callers have no principal, and where subjects are not known', async () => {
    const { fetch } = open()
    for (const query of ['', '?subject=ana']) {
      const found = await (await fetch(`/inspect/events.json${query}`)).json()
      expect(found).toMatchObject({ types: [{ name: 'note.changed' }], subscriptions: null })
    }
  })

  it('has neither types nor subscriptions on a server without events()', async () => {
    const { fetch } = openInspected()
    const found = await (await fetch('/inspect/events.json')).json()
    expect(found).toEqual({ types: [], subscriptions: null })
    expect(await (await fetch('/inspect/config.json')).json()).toMatchObject({ events: false })
  })

  it('refuses an empty subject', async () => {
    const { fetch } = open()
    expect((await fetch('/inspect/events.json?subject=')).status).toBe(400)
  })
})

describe('POST /inspect/emit', () => {
  it('stores an event in development', async () => {
    const { fetch, emitted } = open()
    const response = await fetch('/inspect/emit', emit({ ...ONE, subject: 'ana' }))
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ eventId: expect.stringMatching(/^evt_/) })
    expect(emitted).toMatchObject([{ data: '{"topic":"a"}', subject: 'ana' }])
  })

  it('does not exist in production', async () => {
    const { fetch, emitted } = open({ origin: PRODUCTION })
    expect((await fetch('/inspect/emit', emit(ONE))).status).toBe(404)
    expect(emitted).toEqual([])
  })

  it.each<[string, number, RequestInit]>([
    ['from a page of another site', 403, emit(ONE, { origin: 'https://evil.example' })],
    ['that another site has caused', 403, emit(ONE, { 'sec-fetch-site': 'cross-site' })],
    ['of a form', 415, emit(ONE, { 'content-type': 'text/plain' })],
    ['that is not JSON', 400, emit('{')],
    ['without a type', 400, emit({ data: {} })],
    ['with data that the schema refuses', 400, emit({ ...ONE, data: {} })],
    ['of an unknown type', 400, emit({ ...ONE, type: 'other' })],
    ['with GET', 405, { method: 'GET' }],
  ])('refuses a request %s', async (_, status, init) => {
    const { fetch, emitted } = open()
    expect((await fetch('/inspect/emit', init)).status).toBe(status)
    expect(emitted).toEqual([])
  })

  it('answers 404 on a server without events()', async () => {
    expect((await openInspected().fetch('/inspect/emit', emit(ONE))).status).toBe(404)
  })
})

describe('the traffic of the inspector', () => {
  it('marks a refused subscription in plain words, without its secret', async () => {
    const { call, entries } = open({ anonymousPrincipal: 'everyone' })
    const secret = `whsec_${btoa('canary'.repeat(5))}`
    const delivery = { mode: 'webhook', url: 'https://hooks.example/x', secret }
    await call('events/subscribe', { name: 'note.changed', delivery })
    const all = await entries()
    expect(all.find(({ kind }) => kind === 'refusal')).toMatchObject({
      name: 'challenge_failed',
      text: 'The callback did not echo the challenge',
    })
    expect(JSON.stringify(all)).not.toContain(secret)
  })

  it('has what an object reports of deliveries and subscriptions, outside of any exchange', async () => {
    const stored: StoredTraffic[] = []
    const lease = { until: Date.now() + 60_000, subjects: [] }
    const writer = new TrafficWriter({
      lease: async () => lease,
      append: async (entries) => {
        stored.push(...entries)
        return lease
      },
      read: async () => undefined,
      leave: async () => undefined,
    })
    const flushed: unknown[] = []
    const recorder = new Recorder(
      {
        report: () => undefined,
        recordsRequests: true,
        recordsSpans: false,
        enter: () => undefined,
        flush: () => void flushed.push(1),
      },
      [
        {
          begin: () => undefined,
          resume: (exchange, _env, background) => observeObject(writer, exchange, background),
        },
      ],
      () => true,
    )
    const background: Promise<unknown>[] = []
    const report = async (event: EventReport) => {
      recorder.reportInObject(event, {}, (work) => void background.push(work))
      while (background.length > 0) await background.shift()
    }
    const of = { event: 'note.changed', subscription: 'sub_1' } as const
    await report({ type: 'event-delivery', ...of, outcome: 'retried', reason: 'http_5xx' })
    await report({ type: 'event-subscription', ...of, outcome: 'created' })
    expect(stored.map(({ entry }) => JSON.parse(entry))).toEqual([
      {
        at: expect.any(Number),
        exchange: '',
        kind: 'event',
        event: 'note.changed',
        what: 'delivery',
        outcome: 'retried',
        subscription: 'sub_1',
        reason: 'http_5xx',
      },
      {
        at: expect.any(Number),
        exchange: '',
        kind: 'event',
        event: 'note.changed',
        what: 'subscription',
        outcome: 'created',
        subscription: 'sub_1',
        reason: null,
      },
    ])
    expect(flushed).toHaveLength(2)
  })
})
