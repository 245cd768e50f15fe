import { describe, expect, it } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'
import { modernRequest, openApp, read } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const app = openApp(createSampleServer())
const { body: good, headers } = modernRequest('tools/call', {
  name: 'echo',
  arguments: { text: 'x' },
})
const goodText = JSON.stringify(good)
const utf8 = (text: string) => new TextEncoder().encode(text)

/** Name, body, changed headers, status, error code, id (undefined: absent). */
const TABLE: readonly [
  string,
  BodyInit | Uint8Array,
  Record<string, string | null>,
  number,
  number,
  unknown,
][] = [
  ['an empty body', '', {}, 400, -32700, undefined],
  ['text that is not JSON', 'hello', {}, 400, -32700, undefined],
  ['truncated JSON', goodText.slice(0, -2), {}, 400, -32700, undefined],
  ['two JSON values', `${goodText}${goodText}`, {}, 400, -32700, undefined],
  ['JSON with a comment', `/* x */ ${goodText}`, {}, 400, -32700, undefined],
  ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0xfe, 0x22), {}, 400, -32700, undefined],
  ['an overlong UTF-8 slash', Uint8Array.of(0x22, 0xc0, 0xaf, 0x22), {}, 400, -32700, undefined],
  ['UTF-16', new Uint8Array(new Uint16Array([0x7b, 0x7d]).buffer), {}, 400, -32700, undefined],
  ['a string', '"tools/list"', {}, 400, -32600, undefined],
  ['a number', '1', {}, 400, -32600, undefined],
  ['null', 'null', {}, 400, -32600, undefined],
  ['true', 'true', {}, 400, -32600, undefined],
  ['an empty object', '{}', {}, 400, -32600, undefined],
  ['a batch', `[${goodText}]`, {}, 400, -32600, undefined],
  ['another value of jsonrpc', '{"jsonrpc":"1.0","id":7,"method":"ping"}', {}, 400, -32600, 7],
  ['a missing jsonrpc', '{"id":7,"method":"ping"}', {}, 400, -32600, 7],
  ['a numeric jsonrpc', '{"jsonrpc":2.0,"id":7,"method":"ping"}', {}, 400, -32600, 7],
  ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', {}, 400, -32600, undefined],
  ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', {}, 400, -32600, undefined],
  [
    'an id beyond exact integers',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    {},
    400,
    -32600,
    undefined,
  ],
  ['an object id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', {}, 400, -32600, undefined],
  [
    'an overlong id',
    `{"jsonrpc":"2.0","id":"${'x'.repeat(257)}","method":"ping"}`,
    {},
    400,
    -32600,
    undefined,
  ],
  ['a numeric method', '{"jsonrpc":"2.0","id":7,"method":1}', {}, 400, -32600, 7],
  ['an empty method', '{"jsonrpc":"2.0","id":7,"method":""}', {}, 400, -32600, 7],
  [
    'a method and a result',
    '{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}',
    {},
    400,
    -32600,
    7,
  ],
  [
    'params that are an array',
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
    {},
    400,
    -32602,
    7,
  ],
  [
    'params that are null',
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":null}',
    {},
    400,
    -32602,
    7,
  ],
  ['a result and an error', '{"jsonrpc":"2.0","id":7,"result":{},"error":{}}', {}, 400, -32600, 7],
  ['an id without method, result and error', '{"jsonrpc":"2.0","id":7}', {}, 400, -32600, 7],
  [
    'a duplicate key in the envelope',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}',
    {},
    400,
    -32600,
    undefined,
  ],
  [
    'a duplicate key in a nested object',
    goodText.replace('"text":"x"', '"text":"x","text":"y"'),
    {},
    400,
    -32600,
    undefined,
  ],
  [
    'a duplicate key of which one is escaped',
    goodText.replace('"text":"x"', '"text":"x","\\u0074ext":"y"'),
    {},
    400,
    -32600,
    undefined,
  ],
  ['65 levels of nesting', `${'['.repeat(65)}${']'.repeat(65)}`, {}, 400, -32600, undefined],
  ['a million open brackets', '['.repeat(1_000_000), {}, 400, -32600, undefined],
  ['100,001 values', `[${'0,'.repeat(99_999)}0]`, {}, 413, -32600, undefined],
  [
    '50,001 empty arrays in an argument that the tool ignores',
    goodText.replace('"text":"x"', `"text":"x","other":[${'[],'.repeat(50_000)}[]]`),
    {},
    413,
    -32600,
    undefined,
  ],
  [
    'one byte more than 4 MiB',
    `{"a":"${'x'.repeat(4 * 1024 * 1024 - 7)}"}`,
    {},
    413,
    -32600,
    undefined,
  ],
  [
    'a form',
    'a=b',
    { 'content-type': 'application/x-www-form-urlencoded' },
    415,
    -32600,
    undefined,
  ],
  ['text/plain', goodText, { 'content-type': 'text/plain' }, 415, -32600, undefined],
  [
    'another charset',
    goodText,
    { 'content-type': 'application/json; charset=utf-16' },
    415,
    -32600,
    undefined,
  ],
  ['a compressed body', goodText, { 'content-encoding': 'gzip' }, 415, -32600, undefined],
  [
    'an Accept header without JSON and event streams',
    goodText,
    { accept: 'text/html' },
    406,
    -32600,
    undefined,
  ],
  [
    'an Accept header that excludes JSON and event streams',
    goodText,
    { accept: 'application/json;q=0, text/event-stream;q=0' },
    406,
    -32600,
    undefined,
  ],
]

describe('POST with an invalid body or invalid body headers', () => {
  it.each(TABLE)(
    'refuses %s and serves the next request',
    async (_, body, changed, status, code, id) => {
      verifies('base-protocol/messages-follow-json-rpc')
      verifies('base-protocol/errors-have-code-and-message')
      verifies('base-protocol/error-response-has-the-id-of-its-request')
      verifies('base-protocol/request-has-an-id', { row: 'a fractional id' })
      verifies('base-protocol/request-id-is-not-null', { row: 'a null id' })
      verifies('base-protocol/utf-8', { row: 'bytes that are not UTF-8' })
      verifies('streamable-http/body-is-one-request-or-notification', { row: 'a batch' })
      const answer = await read(await app.post(body, { ...headers, ...changed }))
      expect(answer.status).toBe(status)
      expect(answer.body.jsonrpc).toBe('2.0')
      expect(answer.body.error.code).toBe(code)
      expect(answer.body.error.message).not.toMatch(/\bat \w+.*:\d+|SyntaxError|undefined/)
      expect(answer.body.id).toBe(id)
      expect('id' in answer.body).toBe(id !== undefined)
      const next = await read(await app.post(goodText, headers))
      expect(next.body.result.content).toEqual([{ type: 'text', text: 'x' }])
    },
  )

  it('refuses an endless body without Content-Length and stops reading it', async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        controller.enqueue(utf8(' '.repeat(65_536)))
      },
    })
    const answer = await read(await app.post(endless, headers))
    expect(answer.status).toBe(413)
    // Received bytes are drained, so that the client reads the response, up to a limit.
    expect(sent).toBeLessThan(80 * 1024 * 1024)
  })

  it('refuses a body whose connection breaks', async () => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(utf8(goodText.slice(0, 20)))
        controller.error(new Error('connection lost'))
      },
    })
    const answer = await read(await app.post(broken, headers))
    expect([answer.status, answer.body.error.code]).toEqual([400, -32700])
  })
})

describe('POST with an unusual but valid body', () => {
  const FINE: readonly [string, BodyInit | Uint8Array, Record<string, string | null>][] = [
    ['a byte order mark', utf8(`\ufeff${goodText}`), {}],
    ['surrounding white space', ` \n\t${goodText}\r\n `, {}],
    [
      '64 levels of nesting',
      goodText.replace('"text":"x"', `"text":"x","deep":${'['.repeat(60)}${']'.repeat(60)}`),
      {},
    ],
    [
      'keys of Object.prototype',
      goodText.replace(
        '"text":"x"',
        '"text":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}',
      ),
      {},
    ],
    ['unknown members of the envelope', goodText.replace('"id":1', '"id":1,"extra":{"a":1}'), {}],
    ['a lone surrogate', goodText.replace('"text":"x"', '"text":"x","odd":"\\ud800"'), {}],
    ['a charset parameter', goodText, { 'content-type': 'application/json;charset="UTF-8"' }],
    ['a media type in capitals', goodText, { 'content-type': 'Application/JSON' }],
    ['no Content-Type', utf8(goodText), { 'content-type': null }],
  ]

  it.each(FINE)('serves %s', async (_, body, changed) => {
    const answer = await read(await app.post(body, { ...headers, ...changed }))
    expect(answer.body.result.content).toEqual([{ type: 'text', text: 'x' }])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('serves as many values as `limits.jsonValues` and refuses one more', async () => {
    const small = openApp(createSampleServer(), { limits: { jsonValues: 17 } })
    const withItems = (items: string) => goodText.replace('"text":"x"', `"text":"x","a":[${items}]`)
    expect((await read(await small.post(withItems('1'), headers))).status).toBe(200)
    const refused = await read(await small.post(withItems('1,2'), headers))
    expect(refused.status).toBe(413)
    expect(refused.body.error.message).toBe(
      'The body must have at most 17 JSON values [body-has-too-many-values]',
    )
    expect(small.events).toContainEqual(
      expect.objectContaining({ type: 'refusal', name: 'body-has-too-many-values' }),
    )
  })

  it('serves a body of exactly 4 MiB', async () => {
    const filler = 4 * 1024 * 1024 - goodText.length
    const body = `${goodText}${' '.repeat(filler)}`
    expect((await read(await app.post(body, headers))).status).toBe(200)
  })
})
