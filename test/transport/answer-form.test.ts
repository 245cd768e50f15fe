import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/protocol/json-rpc.ts'
import { readAccept } from '../../src/transport/accept.ts'
import {
  acceptsHttpSseStream,
  acceptsStream,
  callForm,
  sendsEvents,
  sessionForm,
  startsAsJson,
} from '../../src/transport/answer-form.ts'

const NO_CAPABILITIES = {}

const request = (method: string): Message => ({ kind: 'request', id: 1, method, params: undefined })

/** `Accept`; the form of a modern call, of a call without session, and in a session of a client without and with an ask. */
const FORMS = [
  ['application/json, text/event-stream', 'either', 'either', 'either', 'either'],
  ['application/json', 'padded-json', 'json', 'json', 'json'],
  ['application/json, text/event-stream;q=0', 'padded-json', 'json', 'json', 'json'],
  ['text/event-stream', 'sse', 'sse', 'sse', 'sse'],
  ['*/*, application/json;q=0', 'sse', 'sse', 'sse', 'sse'],
  ['*/*', 'padded-json', 'json', 'json', 'either'],
  ['application/json, */*;q=0.1', 'padded-json', 'json', 'json', 'either'],
  [null, 'padded-json', 'json', 'json', 'either'],
] as const

describe.each(FORMS)('the form of an answer for Accept: %j', (accept, ...expected) => {
  const [modern, stateless, session, askable] = expected
  const accepted = readAccept(accept)

  it(`is ${modern} for a modern call`, () => {
    expect(callForm(accepted, 'modern', 'tools/call')).toBe(modern)
  })

  it(`is ${stateless} for a call of the session eras without a session`, () => {
    expect(callForm(accepted, 'session', 'tools/call')).toBe(stateless)
  })

  it(`is ${session} in a session of a client without capabilities`, () => {
    expect(sessionForm(accepted, NO_CAPABILITIES, [request('tools/call')])).toBe(session)
  })

  it.each([{ elicitation: {} }, { sampling: {} }, { roots: {} }])(
    `is ${askable} in a session of a client with %j`,
    (capabilities) => {
      expect(sessionForm(accepted, capabilities, [request('tools/call')])).toBe(askable)
    },
  )
})

describe('the form of an answer to a client that polls a task', () => {
  it.each([
    ['application/json, text/event-stream', 'json', 'either'],
    ['*/*', 'json', 'padded-json'],
    ['text/event-stream', 'sse', 'sse'],
  ] as const)(
    'is, for Accept %j, %s in the session eras and %s for a modern call',
    (accept, form, modern) => {
      const accepted = readAccept(accept)
      expect(callForm(accepted, 'session', 'tasks/get')).toBe(form)
      expect(sessionForm(accepted, { elicitation: {} }, [request('tasks/get')])).toBe(form)
      expect(callForm(accepted, 'modern', 'tasks/get')).toBe(modern)
    },
  )

  it('is that of the others for a batch', () => {
    const accepted = readAccept('application/json, text/event-stream')
    const batch = [request('tasks/get'), request('tools/call')]
    expect(sessionForm(accepted, NO_CAPABILITIES, batch)).toBe('either')
  })
})

describe('acceptsStream and acceptsHttpSseStream', () => {
  it.each([
    ['text/event-stream', true, true],
    ['*/*', true, true],
    [null, true, true],
    ['application/json', false, true],
    ['text/html', false, false],
    ['*/*;q=0', false, false],
    ['*/*, text/event-stream;q=0', false, true],
  ])('decide for Accept %j: %s and %s', (accept, stream, httpSse) => {
    const accepted = readAccept(accept)
    expect([acceptsStream(accepted), acceptsHttpSseStream(accepted)]).toEqual([stream, httpSse])
  })
})

describe('sendsEvents and startsAsJson', () => {
  it.each([
    ['json', false, true],
    ['padded-json', false, true],
    ['either', true, true],
    ['sse', true, false],
  ] as const)('decide for the form %s: %s and %s', (form, events, json) => {
    expect([sendsEvents(form), startsAsJson(form)]).toEqual([events, json])
  })
})
