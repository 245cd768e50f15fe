import { describe, expect, it } from 'vitest'
import {
  errorResponse,
  isRequestId,
  notificationText,
  parseMessage,
  requestText,
} from '../../src/protocol/json-rpc.ts'
import { verifies } from '../support/verifies.ts'

const ERROR = { code: 1, message: 'x' }

const RPC = { jsonrpc: '2.0' }

describe('parseMessage', () => {
  it.each([
    ['a text id', { ...RPC, id: 'a', method: 'ping' }, { id: 'a', method: 'ping' }],
    ['an empty id', { ...RPC, id: '', method: 'ping' }, { id: '', method: 'ping' }],
    [
      'an id of 256 characters',
      { ...RPC, id: 'x'.repeat(256), method: 'ping' },
      { id: 'x'.repeat(256), method: 'ping' },
    ],
    ['the id 0', { ...RPC, id: 0, method: 'ping' }, { id: 0, method: 'ping' }],
    ['a negative id', { ...RPC, id: -1, method: 'ping' }, { id: -1, method: 'ping' }],
    [
      'the largest id',
      { ...RPC, id: 9_007_199_254_740_991, method: 'ping' },
      { id: 9_007_199_254_740_991, method: 'ping' },
    ],
    [
      'params',
      { ...RPC, id: 1, method: 'x', params: { a: 1 } },
      { id: 1, method: 'x', params: { a: 1 } },
    ],
    [
      'empty params',
      { ...RPC, id: 1, method: 'x', params: {} },
      { id: 1, method: 'x', params: {} },
    ],
    [
      'members that JSON-RPC does not define',
      { ...RPC, id: 1, method: 'x', extra: true },
      { id: 1, method: 'x' },
    ],
  ])('reads a request with %s', (_, value, message) => {
    expect(parseMessage(value)).toEqual({ kind: 'request', params: undefined, ...message })
  })

  it.each([
    ['without params', { ...RPC, method: 'notifications/x' }, undefined],
    ['with params', { ...RPC, method: 'notifications/x', params: { a: 1 } }, { a: 1 }],
  ])('reads a notification %s', (_, value, params) => {
    expect(parseMessage(value)).toEqual({ kind: 'notification', method: 'notifications/x', params })
  })

  it.each([
    ['a result', { ...RPC, id: 1, result: { a: 1 } }, { id: 1, result: { a: 1 } }],
    ['an empty result', { ...RPC, id: 'a', result: {} }, { id: 'a', result: {} }],
    ['an error', { ...RPC, id: 1, error: ERROR }, { id: 1, error: ERROR }],
    ['an error without an id', { ...RPC, error: ERROR }, { error: ERROR }],
    ['an error with the id null', { ...RPC, id: null, error: ERROR }, { error: ERROR }],
    [
      'a result beside an error of null',
      { ...RPC, id: 1, result: {}, error: null },
      { id: 1, result: {} },
    ],
    [
      'an error beside a result of null',
      { ...RPC, id: 1, result: null, error: ERROR },
      { id: 1, error: ERROR },
    ],
  ])('reads a response with %s', (_, value, message) => {
    const absent = { id: undefined, result: undefined, error: undefined }
    expect(parseMessage(value)).toEqual({ kind: 'response', ...absent, ...message })
  })

  it.each([
    ['a text', 'ping'],
    ['a number', 1],
    ['true', true],
    ['null', null],
    ['nothing', undefined],
    ['a batch', [{ ...RPC, id: 1, method: 'ping' }]],
  ])('rejects %s, which is no JSON object', (_, value) => {
    expect(parseMessage(value)).toEqual({
      kind: 'invalid',
      id: undefined,
      fault: 'shape',
      reason: 'The message must be a JSON object',
    })
  })

  const JSONRPC = 'jsonrpc must be "2.0"'
  const METHOD = 'method must be a non-empty string'
  const BOTH = 'A message is a request or a response, not both'
  const ID = 'id must be a string of at most 256 characters or an integer'
  const NEITHER = 'The message must have a method, a result object, or an error with a code'
  const UNANSWERED = 'A response must carry the id of its request'

  it.each([
    ['no jsonrpc', { id: 1, method: 'x' }, 1, JSONRPC],
    ['another version', { jsonrpc: '1.0', id: 'a', method: 'x' }, 'a', JSONRPC],
    ['a version that is a number', { jsonrpc: 2, id: 1, method: 'x' }, 1, JSONRPC],
    ['no jsonrpc and an id that cannot be repeated', { id: 1.5, method: 'x' }, undefined, JSONRPC],
    ['an empty method', { ...RPC, id: 1, method: '' }, 1, METHOD],
    ['a method that is no text', { ...RPC, id: 1, method: 1 }, 1, METHOD],
    ['a method of null', { ...RPC, id: 1, method: null }, 1, METHOD],
    [
      'a method of undefined beside a result',
      { ...RPC, id: 1, method: undefined, result: {} },
      1,
      METHOD,
    ],
    ['a method and a result', { ...RPC, id: 1, method: 'x', result: {} }, 1, BOTH],
    ['a method and an error', { ...RPC, id: 1, method: 'x', error: null }, 1, BOTH],
    ['the id null', { ...RPC, id: null, method: 'x' }, undefined, ID],
    ['an id with a fraction', { ...RPC, id: 1.5, method: 'x' }, undefined, ID],
    [
      'an id beyond the safe integers',
      { ...RPC, id: 9_007_199_254_740_992, method: 'x' },
      undefined,
      ID,
    ],
    ['an id of 257 characters', { ...RPC, id: 'x'.repeat(257), method: 'x' }, undefined, ID],
    ['an id that is a boolean', { ...RPC, id: true, method: 'x' }, undefined, ID],
    ['an id that is an object', { ...RPC, id: {}, method: 'x' }, undefined, ID],
    ['neither method, result nor error', { ...RPC, id: 1 }, 1, NEITHER],
    ['a result and an error', { ...RPC, id: 1, result: {}, error: {} }, 1, NEITHER],
    ['a result that is no object', { ...RPC, id: 1, result: 'x' }, 1, NEITHER],
    ['a result that is a list', { ...RPC, id: 1, result: [] }, 1, NEITHER],
    ['an error that is no object', { ...RPC, id: 1, error: 'x' }, 1, NEITHER],
    ['an error without a code', { ...RPC, id: 1, error: { message: 'x' } }, 1, NEITHER],
    [
      'an error with a code that is a text',
      { ...RPC, id: 1, error: { code: '1', message: 'x' } },
      1,
      NEITHER,
    ],
    ['an empty error', { ...RPC, id: 1, error: {} }, 1, NEITHER],
    ['a result beside a text as error', { ...RPC, id: 1, result: {}, error: 'x' }, 1, NEITHER],
    ['a result without an id', { ...RPC, result: {} }, undefined, UNANSWERED],
    ['a result with the id null', { ...RPC, id: null, result: {} }, undefined, UNANSWERED],
    [
      'a result with an id that is a boolean',
      { ...RPC, id: true, result: {} },
      undefined,
      UNANSWERED,
    ],
    [
      'an error with an id that is a boolean',
      { ...RPC, id: false, error: ERROR },
      undefined,
      UNANSWERED,
    ],
    [
      'an error with an id of 257 characters',
      { ...RPC, id: 'x'.repeat(257), error: ERROR },
      undefined,
      UNANSWERED,
    ],
  ])('rejects a message with %s', (_, value, id, reason) => {
    verifies('base-protocol/messages-follow-json-rpc')
    verifies('base-protocol/response-has-one-of-result-and-error', { row: 'a result and an error' })
    verifies('base-protocol/error-codes-are-integers', {
      row: 'an error with a code that is a text',
    })

    expect(parseMessage(value)).toEqual({ kind: 'invalid', id, fault: 'shape', reason })
  })

  it.each([
    ['a list', []],
    ['a text', 'x'],
  ])('rejects params that are %s as a fault of the params', (_, params) => {
    const fault = { kind: 'invalid', fault: 'params', reason: 'params must be an object' }
    expect(parseMessage({ ...RPC, id: 7, method: 'x', params })).toEqual({ ...fault, id: 7 })
    expect(parseMessage({ ...RPC, method: 'x', params })).toEqual({ ...fault, id: undefined })
  })
})

describe('isRequestId', () => {
  it.each(['', 'a', 'x'.repeat(256), 0, -1, 9_007_199_254_740_991])('accepts %j', (id) => {
    expect(isRequestId(id)).toBe(true)
  })

  it.each([
    null,
    undefined,
    true,
    {},
    [],
    0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    1n,
    'x'.repeat(257),
  ])('rejects %s', (id) => {
    verifies('base-protocol/request-has-an-id')
    expect(isRequestId(id)).toBe(false)
  })
})

describe('errorResponse', () => {
  it.each([
    [
      'with the id 0',
      [0, -32600, 'Invalid'],
      { ...RPC, id: 0, error: { code: -32600, message: 'Invalid' } },
    ],
    ['with an empty id', ['', 1, 'x'], { ...RPC, id: '', error: { code: 1, message: 'x' } }],
    ['without a readable id', [undefined, 1, 'x'], { ...RPC, error: { code: 1, message: 'x' } }],
    [
      'with data',
      [1, 2, 'x', { a: 1 }],
      { ...RPC, id: 1, error: { code: 2, message: 'x', data: { a: 1 } } },
    ],
    [
      'with data of null',
      [1, 2, 'x', null],
      { ...RPC, id: 1, error: { code: 2, message: 'x', data: null } },
    ],
  ] as const)('is written %s', (_, args, expected) => {
    verifies('base-protocol/messages-follow-json-rpc')
    verifies('base-protocol/response-has-one-of-result-and-error')
    verifies('base-protocol/errors-have-code-and-message')
    expect(errorResponse(...(args as unknown as Parameters<typeof errorResponse>))).toStrictEqual(
      expected,
    )
  })
})

describe('the text of a message', () => {
  it('of a notification leaves out params that are undefined', () => {
    verifies('base-protocol/notification-has-no-id')
    expect(notificationText('notifications/x', undefined)).toBe(
      '{"jsonrpc":"2.0","method":"notifications/x"}',
    )
    expect(notificationText('n', { a: 1 })).toBe('{"jsonrpc":"2.0","method":"n","params":{"a":1}}')
  })

  it('of a request has its id, method and params', () => {
    expect(requestText('ask-1', 'roots/list', {})).toBe(
      '{"jsonrpc":"2.0","id":"ask-1","method":"roots/list","params":{}}',
    )
  })
})
