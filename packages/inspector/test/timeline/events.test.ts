/** A client that subscribes to events, as the timeline shows it: why a subscription failed, which the client does not show. */
// features: events
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { EventError } from '../../../../src/protocol/events.ts'
import { answerCalls } from '../../../../test/auth/server/support/scoped-objects.ts'
import { defineEvent, events } from '../../../events/src/index.ts'
import { explainedText } from '../../src/timeline-texts/index.ts'
import { createBindings, openRecorded, type RecordedServer } from './support/recorded-server.ts'
import { StrictClient } from './support/strict-client.ts'

const CANARY = 'canary-5c1e'

const note = defineEvent('note.changed', {
  description: 'A note has changed.',
  input: z.object({ topic: z.string().optional() }),
  payload: z.object({ topic: z.string() }),
})
const locked = defineEvent('note.locked', {
  description: 'A note was locked.',
  payload: z.object({ topic: z.string() }),
  authorize: () => false,
})
const polled = defineEvent('note.polled', {
  description: 'A note to poll.',
  payload: z.object({ topic: z.string() }),
  delivery: ['poll'],
})

/** @param refused what the object of the principal answers; undefined: it subscribes */
async function open(refused: EventError | undefined, isOpen = false) {
  const subscribed = { id: 'sub_1', expiresAt: null, position: undefined, truncated: false }
  const subscribe = async () =>
    refused === undefined
      ? { ok: true, value: { ...subscribed, status: undefined } }
      : { ok: false, error: refused }
  const server = openRecorded({
    isOpen,
    app: { events: events({ types: [note, locked, polled] }) },
    bindings: answerCalls(createBindings(), ({ kind }, next) =>
      kind === 'subscriber' ? subscribe() : next(),
    ),
  })
  const client = new StrictClient(server, { name: 'ChatGPT', agent: 'openai-mcp/1.0.0' })
  const walk = await client.connect()
  return { server, token: walk.token }
}

async function subscribe(
  { server, token }: { server: RecordedServer; token: string | undefined },
  params: object,
): Promise<Response> {
  const delivery = { url: 'https://hooks.example/x', secret: `whsec_${btoa('k'.repeat(32))}` }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'ChatGPT', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return server.fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'events/subscribe',
      'user-agent': 'openai-mcp/1.0.0',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 9,
      method: 'events/subscribe',
      params: { name: 'note.changed', arguments: {}, delivery, ...params, _meta: meta },
    }),
  })
}

/** The connection with the last step, whichever group it is in. */
async function lastOf({ control }: RecordedServer) {
  const all = await control.connections()
  const found = all.find(({ steps }) => steps.at(-1)?.title === 'events/subscribe')
  if (found === undefined) throw new Error('No connection has subscribed')
  return { connection: found, step: found.steps.at(-1) }
}

const callbackError = (reason: string): EventError => ({
  name: 'CallbackEndpointError',
  data: { reason },
})

describe('the timeline of a client that subscribes to events', () => {
  it.each([
    ['challenge_failed', 'The callback did not echo the challenge'],
    ['connection_refused', 'The callback cannot be reached'],
    ['timeout', 'The callback did not answer the challenge in time'],
    ['tls_error', 'The certificate of the callback is not valid'],
    ['http_4xx', 'The callback refused the challenge (4xx, or a redirect)'],
    ['http_5xx', 'The callback failed at the challenge (5xx)'],
  ])('says in plain words that a challenge failed with %s', async (reason, sentence) => {
    const { server, token } = await open(callbackError(reason))
    await subscribe({ server, token }, {})
    const { connection, step } = await lastOf(server)
    expect(step?.events).toEqual([{ type: 'refusal', name: reason, message: sentence }])
    expect(step?.details).toMatchObject({
      method: 'events/subscribe',
      eventType: 'note.changed',
      subscriptionRefused: reason,
    })
    expect(connection.verdict).toMatchObject({
      state: 'connected',
      summary: `ChatGPT connected and called. Then it could not subscribe: events/subscribe to "note.changed" was refused: ${reason}, ${sentence}.`,
    })
    expect(connection.verdict.findings).toMatchObject([
      { code: 'events-subscribe-failed', severity: 'error' },
    ])
    expect(explainedText([connection])).toMatch(/ChatGPT shows its person only/)
  })

  it.each<[string, object, string, RegExp]>([
    [
      'for arguments that it may not have',
      { name: 'note.locked' },
      'Forbidden',
      /may not subscribe/,
    ],
    ['to an unknown type', { name: CANARY }, 'NotFound', /no event type with this name/],
    ['to a type without webhook', { name: 'note.polled' }, 'Unsupported', /does not offer webhook/],
    [
      'with a URL that is not https',
      { delivery: { url: `http://${CANARY}.example/x`, secret: 'whsec_x' } },
      'InvalidParams',
      /not valid: params\.delivery\.url/,
    ],
    [
      'with a secret that is too short',
      { delivery: { url: 'https://hooks.example', secret: `whsec_${CANARY}` } },
      'InvalidParams',
      /params\.delivery\.secret must be whsec_/,
    ],
  ])(
    'says why a subscription %s is refused, without text of the client',
    async (_, params, name, says) => {
      const { server, token } = await open(undefined)
      await subscribe({ server, token }, params)
      const { step, connection } = await lastOf(server)
      expect(step?.events).toEqual([
        { type: 'refusal', name, message: expect.stringMatching(says) },
      ])
      expect(JSON.stringify(connection)).not.toContain(CANARY)
      expect(connection.verdict.summary).toContain('Then it could not subscribe')
    },
  )

  it('says that an anonymous caller may not subscribe', async () => {
    const { server } = await open(undefined, true)
    await subscribe({ server, token: undefined }, {})
    const { step } = await lastOf(server)
    expect(step?.events).toEqual([
      {
        type: 'refusal',
        name: 'Forbidden',
        message: 'The caller may not subscribe: Sign in to subscribe',
      },
    ])
  })

  it('names the type of a subscription that was made, and finds nothing', async () => {
    const { server, token } = await open(undefined)
    expect((await subscribe({ server, token }, {})).status).toBe(200)
    const { step, connection } = await lastOf(server)
    expect(step?.events).toEqual([])
    expect(step?.details).toMatchObject({ eventType: 'note.changed' })
    expect(step?.details).not.toHaveProperty('subscriptionRefused')
    expect(connection.verdict.findings).toEqual([])
    expect(connection.verdict.summary).toBe('ChatGPT connected and called.')
  })

  it('finds nothing once a refused subscription was made', async () => {
    const { server, token } = await open(undefined)
    await subscribe({ server, token }, { name: 'note.locked' })
    await subscribe({ server, token }, {})
    const { connection } = await lastOf(server)
    expect(connection.verdict.findings).toEqual([])
  })
})
