import { describe, expect, it } from 'vitest'
import { MODERN, modernRequest, openDoor, read } from '../support/door.ts'
import { createSampleServer } from '../support/sample-server.ts'

const door = openDoor(createSampleServer())
const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

type Changes = {
  method?: string
  params?: Record<string, unknown>
  meta?: Record<string, unknown>
  headers?: Record<string, string | null>
}

async function send(
  { method = 'tools/list', params = {}, meta = {}, headers = {} }: Changes,
  id: string | number = 1,
) {
  const request = modernRequest(method, params, { id, meta })
  return read(await door.post(request.body, { ...request.headers, ...headers }))
}

const call = { method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }

describe('the ladder of refusals', () => {
  const TABLE: readonly [string, Changes, number, number][] = [
    ['a meta without a version', { meta: { [VERSION]: undefined } }, 400, -32602],
    ['a version that is a number', { meta: { [VERSION]: 20260728 } }, 400, -32602],
    ['a version that is null', { meta: { [VERSION]: null } }, 400, -32602],
    ['a meta without capabilities', { meta: { [CAPABILITIES]: undefined } }, 400, -32602],
    ['capabilities that are an array', { meta: { [CAPABILITIES]: [] } }, 400, -32602],
    ['capabilities that are null', { meta: { [CAPABILITIES]: null } }, 400, -32602],
    ['an unknown log level', { meta: { 'io.modelcontextprotocol/logLevel': 'loud' } }, 400, -32602],
    ['a progress token that is an object', { meta: { progressToken: {} } }, 400, -32602],
    ['a fractional progress token', { meta: { progressToken: 1.5 } }, 400, -32602],
    ['no version header', { headers: { 'mcp-protocol-version': null } }, 400, -32020],
    ['an older version header', { headers: { 'mcp-protocol-version': '2025-11-25' } }, 400, -32020],
    ['a body of a version nobody knows', { meta: { [VERSION]: 'v999.0.0' } }, 400, -32020],
    [
      'a version header said twice',
      { headers: { 'mcp-protocol-version': `${MODERN}, ${MODERN}` } },
      400,
      -32020,
    ],
    ['no method header', { headers: { 'mcp-method': null } }, 400, -32020],
    ['another method header', { headers: { 'mcp-method': 'tools/call' } }, 400, -32020],
    ['a method header in capitals', { headers: { 'mcp-method': 'TOOLS/LIST' } }, 400, -32020],
    ['an unknown method', { method: 'tools/destroy' }, 404, -32601],
    ['initialize', { method: 'initialize' }, 404, -32601],
    ['ping', { method: 'ping' }, 404, -32601],
    ['logging/setLevel', { method: 'logging/setLevel' }, 404, -32601],
    ['resources/subscribe', { method: 'resources/subscribe' }, 404, -32601],
    ['a method of the prototype', { method: 'constructor' }, 404, -32601],
    ['no name header', { ...call, headers: { 'mcp-name': null } }, 400, -32020],
    ['another name header', { ...call, headers: { 'mcp-name': 'add' } }, 400, -32020],
    [
      'a name header, and no name',
      { method: 'tools/call', params: {}, headers: { 'mcp-name': 'echo' } },
      400,
      -32020,
    ],
    [
      'a name header, and a number for a name',
      { method: 'tools/call', params: { name: 7 }, headers: { 'mcp-name': '7' } },
      400,
      -32020,
    ],
    ['no name at all', { method: 'tools/call', params: {} }, 200, -32602],
    [
      'a name header with bad base64',
      { ...call, headers: { 'mcp-name': '=?base64?ZWN!bw==?=' } },
      400,
      -32020,
    ],
    [
      'a name header without padding',
      { ...call, headers: { 'mcp-name': '=?base64?ZWNobw?=' } },
      400,
      -32020,
    ],
    ['an unknown tool', { method: 'tools/call', params: { name: 'nope' } }, 200, -32602],
    [
      'a tool of the prototype',
      { method: 'tools/call', params: { name: '__proto__' } },
      200,
      -32602,
    ],
    ['a tool name that is a number', { method: 'tools/call', params: { name: 1 } }, 200, -32602],
    [
      'arguments that are an array',
      { method: 'tools/call', params: { name: 'echo', arguments: [] } },
      200,
      -32602,
    ],
    ['an unknown prompt', { method: 'prompts/get', params: { name: 'nope' } }, 200, -32602],
    [
      'a missing prompt argument',
      { method: 'prompts/get', params: { name: 'greet', arguments: {} } },
      200,
      -32602,
    ],
    [
      'a prompt argument that is a number',
      { method: 'prompts/get', params: { name: 'greet', arguments: { who: 1 } } },
      200,
      -32602,
    ],
    [
      'a resource that is not there',
      { method: 'resources/read', params: { uri: 'sample://none' } },
      200,
      -32602,
    ],
    ['a URI that is none', { method: 'resources/read', params: { uri: 'nothing' } }, 200, -32602],
    [
      'a URI longer than 8192 characters',
      { method: 'resources/read', params: { uri: `sample://${'x'.repeat(8192)}` } },
      200,
      -32602,
    ],
    ['a cursor of nobody', { params: { cursor: 'bm9uZQ' } }, 200, -32602],
    ['an empty cursor', { params: { cursor: '' } }, 200, -32602],
    ['a cursor that is a number', { params: { cursor: 5 } }, 200, -32602],
    ['a completion of nothing', { method: 'completion/complete', params: {} }, 200, -32602],
  ]

  it.each(TABLE)('refuses %s', async (_, changes, status, code) => {
    const answer = await send(changes)
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([status, code, 1])
  })

  it.each([0, '', -1, 'a "quoted" id', 9007199254740991])(
    'echoes the id %j in every error',
    async (id) => {
      expect((await send({ method: 'nope' }, id)).body.id).toBe(id)
      expect((await send({ headers: { 'mcp-method': null } }, id)).body.id).toBe(id)
      expect((await send({ meta: { [CAPABILITIES]: undefined } }, id)).body.id).toBe(id)
      expect((await send({ params: { cursor: 5 } }, id)).body.id).toBe(id)
      expect((await send({}, id)).body.id).toBe(id)
    },
  )

  it('names the versions it speaks to one it does not', async () => {
    const answer = await send({
      meta: { [VERSION]: 'v999.0.0' },
      headers: { 'mcp-protocol-version': 'v999.0.0' },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toEqual({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: ['2026-07-28'], requested: 'v999.0.0' },
    })
  })

  it('does not serve an older revision through the modern envelope', async () => {
    const answer = await send({
      meta: { [VERSION]: '2025-11-25' },
      headers: { 'mcp-protocol-version': '2025-11-25' },
    })
    expect([answer.status, answer.body.error.code]).toEqual([400, -32022])
  })

  it('takes a modern header without a modern body at its word', async () => {
    const answer = await read(
      await door.post(
        { jsonrpc: '2.0', id: 3, method: 'tools/list', params: {} },
        { 'mcp-protocol-version': MODERN },
      ),
    )
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32602, 3])
  })

  it('has no use for a response', async () => {
    const answer = await read(
      await door.post({ jsonrpc: '2.0', id: 3, result: {} }, { 'mcp-protocol-version': MODERN }),
    )
    expect([answer.status, answer.body.error.code]).toEqual([400, -32600])
  })

  it('says where a resource was looked for', async () => {
    const answer = await send({ method: 'resources/read', params: { uri: 'sample://item/gone' } })
    expect(answer.body.error).toEqual({
      code: -32602,
      message: 'Resource not found',
      data: { uri: 'sample://item/gone' },
    })
  })
})

describe('what is forgiven', () => {
  it('serves a client that does not say who it is', async () => {
    const answer = await send({ meta: { 'io.modelcontextprotocol/clientInfo': undefined } })
    expect(answer.status).toBe(200)
  })

  it('accepts header names in any case and values with white space around them', async () => {
    const { body } = modernRequest('tools/call', call.params)
    const answer = await read(
      await door.post(body, {
        'MCP-PROTOCOL-VERSION': MODERN,
        'mCP-mETHOD': 'tools/call',
        'Mcp-Name': '  echo  ',
      }),
    )
    expect(answer.body.result.content[0].text).toBe('x')
  })

  it('accepts a name header in base64', async () => {
    const answer = await send({ ...call, headers: { 'mcp-name': '=?base64?ZWNobw==?=' } })
    expect(answer.body.result.content[0].text).toBe('x')
  })

  it('ignores a session id and a last event id', async () => {
    const answer = await send({ headers: { 'mcp-session-id': 'x', 'last-event-id': 'y' } })
    expect(answer.status).toBe(200)
    expect(answer.headers.has('mcp-session-id')).toBe(false)
  })

  it('trusts the body above an older header only where it is told to', async () => {
    const trusting = openDoor(createSampleServer(), { headerMismatch: 'trust-body' })
    const headers = { 'mcp-protocol-version': '2025-11-25' }
    expect((await trusting.modern('tools/list', {}, { headers })).status).toBe(200)
    expect(trusting.events).toContainEqual({
      type: 'leniency',
      name: 'protocol-version-header-mismatch',
      method: 'tools/list',
    })
    const unknown = { 'mcp-protocol-version': '2031-01-01' }
    expect((await trusting.modern('tools/list', {}, { headers: unknown })).body.error.code).toBe(
      -32020,
    )
  })
})

describe('headers that mirror arguments', () => {
  const routed = (args: Record<string, unknown>, headers: Record<string, string>) =>
    send({ method: 'tools/call', params: { name: 'routed', arguments: args }, headers })

  const SAME: readonly [string, Record<string, unknown>, Record<string, string>][] = [
    ['nothing to mirror', {}, {}],
    ['a string', { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    ['an empty string', { region: '' }, { 'mcp-param-region': '' }],
    ['a string in base64', { region: 'Grüße' }, { 'mcp-param-region': '=?base64?R3LDvMOfZQ==?=' }],
    [
      'a string that looks like base64',
      { region: '=?base64?x' },
      { 'mcp-param-region': '=?base64?x' },
    ],
    ['an integer', { level: 42 }, { 'mcp-param-level': '42' }],
    ['an integer written with a fraction', { level: 42 }, { 'mcp-param-level': '42.0' }],
    ['a boolean', { dry: false }, { 'mcp-param-dry': 'false' }],
    ['a nested string', { target: { zone: 'a' } }, { 'mcp-param-zone': 'a' }],
    [
      'a header nobody declared',
      { region: 'eu' },
      { 'mcp-param-region': 'eu', 'mcp-param-other': 'x' },
    ],
  ]
  it.each(SAME)('accepts %s', async (_, args, headers) => {
    const answer = await routed(args, headers)
    expect(JSON.parse(answer.body.result.content[0].text)).toEqual(args)
  })

  const DIFFERENT: readonly [string, Record<string, unknown>, Record<string, string>][] = [
    ['a missing header', { region: 'eu' }, {}],
    ['a missing nested header', { target: { zone: 'a' } }, {}],
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    [
      'a fraction that rounds to the integer',
      { level: Number.MAX_SAFE_INTEGER },
      { 'mcp-param-level': '9007199254740991.4' },
    ],
    ['a header without a value in the body', {}, { 'mcp-param-region': 'eu' }],
    ['a header for null', { region: null }, { 'mcp-param-region': 'null' }],
    ['a header for an object', { region: { a: 1 } }, { 'mcp-param-region': 'eu' }],
    ['base64 without padding', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    [
      'base64 of a foreign alphabet',
      { region: 'Hello' },
      { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' },
    ],
    ['base64 with loose bits', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG9=?=' }],
    ['base64 that is not UTF-8', { region: '\ufffd' }, { 'mcp-param-region': '=?base64?/w==?=' }],
    ['a value sent twice', { region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
    ['another integer', { level: 42 }, { 'mcp-param-level': '43' }],
    ['an integer in hexadecimal', { level: 66 }, { 'mcp-param-level': '0x42' }],
    ['an empty integer', { level: 0 }, { 'mcp-param-level': '' }],
    ['a boolean in capitals', { dry: true }, { 'mcp-param-dry': 'True' }],
    ['a boolean as a number', { dry: true }, { 'mcp-param-dry': '1' }],
  ]
  it.each(DIFFERENT)('refuses %s', async (_, args, headers) => {
    const answer = await routed(args, headers)
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([400, -32020, 1])
  })

  it('leaves a value that cannot be mirrored to the schema', async () => {
    const answer = await routed({ region: { a: 1 } }, {})
    expect(answer.body.result.isError).toBe(true)
  })
})
