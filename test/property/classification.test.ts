/** The route of a POST: what decides it, and what must not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, parseMessage } from '../../src/protocol/json-rpc.ts'
import { REVISIONS } from '../../src/protocol/revisions.ts'
import {
  classify,
  isBatchable,
  type Route,
  type RoutedExchange,
  sessionLeniency,
} from '../../src/transport/classify.ts'
import { runs } from './settings.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const MODERN = '2026-07-28'
const IDS: readonly string[] = REVISIONS.map(({ id }) => id)

const text = fc.string({ unit: 'binary', maxLength: 10 })
const version = fc.oneof(
  fc.constantFrom(...IDS),
  fc.constantFrom('', '2025-06-18, 2025-06-18', '2026-07-28, 2025-06-18', 'a, b', '2031-01-01'),
  text,
)
const versionHeader = fc.option(version)
const sessionId = fc.option(text)
const claim = fc.option(fc.oneof(version, fc.integer(), fc.constant(null)), { nil: undefined })
const method = fc.oneof(
  fc.constantFrom('initialize', 'ping', 'tools/call', 'notifications/initialized'),
  text.filter((name) => name !== ''),
)

function parse(value: object): Message {
  const message = parseMessage({ jsonrpc: '2.0', ...value })
  if (message.kind === 'invalid') throw new TypeError(message.reason)
  return message
}

const params = claim.map((value) => (value === undefined ? {} : { _meta: { [VERSION]: value } }))
const request = fc.record({ id: fc.integer(), method, params }).map(parse)
const notification = fc.record({ method, params }).map(parse)
const response = fc.record({ id: fc.integer(), result: params }).map(parse)
const message = fc.oneof(request, notification, response)

const exchange = fc
  .record({ versionHeader, sessionId, isBound: fc.boolean() })
  .map(({ versionHeader: header, sessionId: id, isBound }) => ({
    isBound,
    sessionId: id,
    versionHeader: header,
    request: { headers: { get: (name: string) => (name === 'mcp-session-id' ? id : null) } },
    services: { sessions: () => (isBound ? {} : undefined) },
  })) satisfies fc.Arbitrary<RoutedExchange>

const claimsVersion = (value: Message) =>
  value.kind !== 'response' && JSON.stringify(value.params ?? {}).includes(VERSION)
const initializes = (value: Message) => value.kind === 'request' && value.method === 'initialize'
const leniencies = (route: Route) => ('leniencies' in route ? route.leniencies : [])

describe('classify', () => {
  it('routes a message by its own version, for any header and session id', () => {
    fc.assert(
      fc.property(message.filter(claimsVersion), exchange, exchange, (body, one, other) => {
        expect(classify(body, one).kind).toBe('modern')
        expect(classify(body, other)).toEqual(classify(body, one))
      }),
      runs(600),
    )
  })

  it('routes a message with a session id to that session, for any version header, unless it initializes', () => {
    fc.assert(
      fc.property(message, exchange, (body, input) => {
        const route = classify(body, input)
        const belongs =
          input.isBound && input.sessionId !== null && !initializes(body) && !claimsVersion(body)
        expect(route.kind === 'in-session').toBe(belongs)
        if (route.kind === 'in-session') expect(route.sessionId).toBe(input.sessionId)
      }),
      runs(1000),
    )
  })

  it('routes a message without a version of its own to the modern era only for exactly that header', () => {
    fc.assert(
      fc.property(message, exchange, (body, input) => {
        fc.pre(!claimsVersion(body))
        const isModern = classify(body, input).kind === 'modern'
        if (isModern) expect(input.versionHeader).toBe(MODERN)
        if (isModern) expect(initializes(body)).toBe(false)
      }),
      runs(1000),
    )
  })

  it('returns the message that it was given, and never a modern revision for a session', () => {
    fc.assert(
      fc.property(message, exchange, (body, input) => {
        const route = classify(body, input)
        if ('message' in route) expect(route.message).toBe(body)
        if ('revision' in route) expect(route.revision?.era).not.toBe('modern')
      }),
      runs(600),
    )
  })

  it('reports no leniency for a request with a known version header, except for initialize', () => {
    fc.assert(
      fc.property(request, exchange, (body, input) => {
        const { versionHeader: header } = input
        const isKnown = header === null || IDS.includes(header)
        const isExpected = isKnown && !(initializes(body) && header === MODERN)
        if (isExpected) expect(leniencies(classify(body, input))).toEqual([])
      }),
      runs(600),
    )
  })

  it('routes a batch by the session id and the header alone, and keeps its items', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 3 }), exchange, (items, input) => {
        const route = classify(items, input)
        const hasSession = input.isBound && input.sessionId !== null
        expect(route.kind).toBe(hasSession ? 'batch-in-session' : 'batch-without-session')
        if ('items' in route) expect(route.items).toBe(items)
        if (route.kind !== 'batch-without-session') return
        const { versionHeader: header } = input
        expect(route.revision?.id).toBe(
          header === null ? '2025-03-26' : IDS.find((known) => known === header),
        )
      }),
      runs(600),
    )
  })

  it('allows in a batch only a message that could belong to an open session', () => {
    fc.assert(
      fc.property(message, exchange, (body, input) => {
        const inSession = { ...input, request: { headers: { get: () => 'sealed' } } }
        const bound = { ...inSession, services: { sessions: () => ({}) } }
        expect(isBatchable(body)).toBe(classify(body, bound).kind === 'in-session')
      }),
      runs(600),
    )
  })
})

describe('sessionLeniency', () => {
  it('reports exactly the headers that differ from the revision of the session', () => {
    fc.assert(
      fc.property(versionHeader, fc.constantFrom(...REVISIONS), (header, revision) => {
        const isSame = header === null || header === revision.id
        expect(sessionLeniency(header, revision) === undefined).toBe(isSame)
      }),
      runs(600),
    )
  })
})
