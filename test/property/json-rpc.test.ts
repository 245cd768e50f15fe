/** JSON-RPC messages: parsing against an independent grammar, and texts for the wire. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorResponse, parseMessage, requestText } from '../../src/protocol/json-rpc.ts'
import { readMessage } from '../../src/transport/message.ts'
import { Refusal } from '../../src/transport/refusal.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

const text = fc.string({ unit: 'binary', maxLength: 12 })
const params = fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 })
const id = fc.oneof(text, fc.maxSafeInteger())

/** A member of a message: mostly valid, sometimes of another type, sometimes absent. */
const member = (valid: fc.Arbitrary<unknown>) =>
  fc.option(
    fc.oneof(
      { weight: 4, arbitrary: valid },
      fc.constantFrom<unknown>(
        null,
        true,
        '',
        0,
        -1,
        0.5,
        2 ** 53,
        [],
        {},
        'x'.repeat(257),
        '\ud800',
      ),
    ),
    { nil: undefined },
  )

const almostMessage = fc
  .record({
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, member(fc.constant('1.0'))),
    id: member(id),
    method: member(text),
    params: member(params),
    result: member(params),
    error: member(fc.oneof(params, fc.record({ code: fc.integer(), message: text }))),
  })
  // A parsed text has no members that are undefined.
  .map((value) => JSON.parse(JSON.stringify(value)) as Readonly<Record<string, unknown>>)

const isObject = (value: unknown) => Object.prototype.toString.call(value) === '[object Object]'

/** The grammar of JSON-RPC 2.0 with the restrictions of MCP, written without the parser. */
function kindOf(value: Readonly<Record<string, unknown>>): string {
  const has = (name: string) => name in value
  const hasId =
    (typeof value.id === 'string' && value.id.length < 257 && !/\p{Surrogate}/u.test(value.id)) ||
    (typeof value.id === 'number' && value.id % 1 === 0 && Math.abs(value.id) < 2 ** 53)
  // Params of null count as absent.
  const hasParams = (value.params ?? null) === null || isObject(value.params)
  if (value.jsonrpc !== '2.0') return 'invalid'
  if (has('method')) {
    const isAlone = !has('result') && !has('error')
    if (typeof value.method !== 'string' || value.method === '' || !hasParams || !isAlone) {
      return 'invalid'
    }
    return has('id') ? (hasId ? 'request' : 'invalid') : 'notification'
  }
  const { code } = Object(value.error) as { readonly code?: unknown }
  const hasError =
    isObject(value.error) && typeof code === 'number' && code % 1 === 0 && Math.abs(code) < 2 ** 53
  const hasResult = isObject(value.result)
  // Beside a result only an error of null is tolerated.
  if (hasResult ? (value.error ?? null) !== null : !hasError) return 'invalid'
  if (hasId) return 'response'
  return hasError && (value.id ?? null) === null ? 'response' : 'invalid'
}

describe('parseMessage', () => {
  it('gives a message the kind that an independent grammar gives it', () => {
    verifies('base-protocol/messages-follow-json-rpc')
    fc.assert(
      fc.property(almostMessage, (value) => {
        expect(parseMessage(value).kind).toBe(kindOf(value))
      }),
      runs(2000),
    )
  })

  it('returns the members of a message unchanged, and no id that the message does not have', () => {
    fc.assert(
      fc.property(almostMessage, (value) => {
        const { kind: _, ...parsed } = parseMessage(value)
        const { reason: _reason, fault: _fault, ...members } = { reason: 0, fault: 0, ...parsed }
        for (const [name, content] of Object.entries(members)) {
          if (content !== undefined) expect(content).toBe(value[name])
        }
      }),
      runs(500),
    )
  })

  it('ignores members of any name that JSON-RPC does not define', () => {
    const defined = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']
    const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'kind', 'toString'))
    const others = fc.dictionary(
      name.filter((key) => !defined.includes(key)),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(almostMessage, others, (value, more) => {
        const entries = [...Object.entries(more), ...Object.entries(value)]
        const extended = JSON.parse(JSON.stringify(Object.fromEntries(entries)))
        expect(parseMessage(extended)).toEqual(parseMessage(value))
      }),
      runs(500),
    )
  })

  it('reads back every request that the server writes, with lone surrogates replaced', () => {
    const method = text.filter((name) => name !== '')
    fc.assert(
      fc.property(id.filter(isWellFormed), method, params, (requestId, name, content) => {
        const written = requestText(requestId, name, content as never)
        expect(written.isWellFormed()).toBe(true)
        expect(written).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/i)
        expect(parseMessage(JSON.parse(written))).toEqual({
          kind: 'request',
          id: requestId,
          method: name.toWellFormed(),
          params: wellFormed(content),
        })
      }),
      runs(500),
    )
  })
})

describe('readMessage', () => {
  it('refuses exactly what the grammar excludes, and answers with an id that a client may have sent', () => {
    verifies('base-protocol/error-response-has-the-id-of-its-request')
    fc.assert(
      fc.property(fc.oneof(almostMessage, fc.jsonValue()), (value) => {
        const message = readMessage(value)
        const isValid = isObject(value) && kindOf(value as Record<string, unknown>) !== 'invalid'
        expect(message instanceof Refusal).toBe(!isValid)
        if (!(message instanceof Refusal)) return
        expect(['params-malformed', 'message-malformed']).toContain(message.name)
        const answer = errorResponse(message.id, -32600, message.message)
        if (message.id === undefined) expect(answer).not.toHaveProperty('id')
        else expect(answer.id).toBe((value as Record<string, unknown>).id)
      }),
      runs(500),
    )
  })
})

function isWellFormed(value: string | number): boolean {
  return typeof value === 'number' || value.isWellFormed()
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (!isObject(value)) return Object.is(value, -0) ? 0 : value
  const entries = Object.entries(value as object)
  return Object.fromEntries(entries.map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}
