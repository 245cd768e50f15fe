import { describe, expect, it } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'
import { MODERN, modernRequest, openApp, read } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const app = openApp(createSampleServer())
const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
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
  return read(await app.post(request.body, { ...request.headers, ...headers }))
}

const call = { method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }

describe('the ladder of a modern request', () => {
  const TABLE: readonly [string, Changes, number, number][] = [
    ['_meta without a version', { meta: { [VERSION]: undefined } }, 400, -32602],
    ['a version that is a number', { meta: { [VERSION]: 20260728 } }, 400, -32602],
    ['a version that is null', { meta: { [VERSION]: null } }, 400, -32602],
    ['_meta without capabilities', { meta: { [CAPABILITIES]: undefined } }, 400, -32602],
    ['capabilities that are an array', { meta: { [CAPABILITIES]: [] } }, 400, -32602],
    ['capabilities that are null', { meta: { [CAPABILITIES]: null } }, 400, -32602],
    ['an unknown log level', { meta: { 'io.modelcontextprotocol/logLevel': 'loud' } }, 400, -32602],
    ['a progress token that is an object', { meta: { progressToken: {} } }, 400, -32602],
    ['a fractional progress token', { meta: { progressToken: 1.5 } }, 400, -32602],
    ['a missing version header', { headers: { 'mcp-protocol-version': null } }, 400, -32020],
    ['an older version header', { headers: { 'mcp-protocol-version': '2025-11-25' } }, 400, -32020],
    ['a body with an unknown version', { meta: { [VERSION]: 'v999.0.0' } }, 400, -32020],
    [
      'a repeated version header',
      { headers: { 'mcp-protocol-version': `${MODERN}, ${MODERN}` } },
      400,
      -32020,
    ],
    ['a missing Mcp-Method header', { headers: { 'mcp-method': null } }, 400, -32020],
    [
      'an Mcp-Method header with another method',
      { headers: { 'mcp-method': 'tools/call' } },
      400,
      -32020,
    ],
    ['an Mcp-Method header in capitals', { headers: { 'mcp-method': 'TOOLS/LIST' } }, 400, -32020],
    ['an unknown method', { method: 'tools/destroy' }, 404, -32601],
    ['the removed method initialize', { method: 'initialize' }, 404, -32601],
    ['the removed method ping', { method: 'ping' }, 404, -32601],
    ['the removed method logging/setLevel', { method: 'logging/setLevel' }, 404, -32601],
    ['the removed method resources/subscribe', { method: 'resources/subscribe' }, 404, -32601],
    ['a method named like a member of Object.prototype', { method: 'constructor' }, 404, -32601],
    ['a missing Mcp-Name header', { ...call, headers: { 'mcp-name': null } }, 400, -32020],
    [
      'an Mcp-Name header with another name',
      { ...call, headers: { 'mcp-name': 'add' } },
      400,
      -32020,
    ],
    [
      'an Mcp-Name header without a name in the body',
      { method: 'tools/call', params: {}, headers: { 'mcp-name': 'echo' } },
      400,
      -32020,
    ],
    [
      'an Mcp-Name header for a name that is a number',
      { method: 'tools/call', params: { name: 7 }, headers: { 'mcp-name': '7' } },
      400,
      -32020,
    ],
    ['a call without a name', { method: 'tools/call', params: {} }, 200, -32602],
    [
      'an Mcp-Name header with invalid base64',
      { ...call, headers: { 'mcp-name': '=?base64?ZWN!bw==?=' } },
      400,
      -32020,
    ],
    [
      'an Mcp-Name header with unpadded base64',
      { ...call, headers: { 'mcp-name': '=?base64?ZWNobw?=' } },
      400,
      -32020,
    ],
    ['an unknown tool', { method: 'tools/call', params: { name: 'nope' } }, 200, -32602],
    [
      'a tool named like a member of Object.prototype',
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
      'an unknown resource',
      { method: 'resources/read', params: { uri: 'sample://none' } },
      200,
      -32602,
    ],
    ['an invalid URI', { method: 'resources/read', params: { uri: 'nothing' } }, 200, -32602],
    [
      'a URI longer than 8192 characters',
      { method: 'resources/read', params: { uri: `sample://${'x'.repeat(8192)}` } },
      200,
      -32602,
    ],
    ['a cursor that this server did not issue', { params: { cursor: 'bm9uZQ' } }, 200, -32602],
    ['an empty cursor', { params: { cursor: '' } }, 200, -32602],
    ['a cursor that is a number', { params: { cursor: 5 } }, 200, -32602],
    [
      'a completion without a reference',
      { method: 'completion/complete', params: {} },
      200,
      -32602,
    ],
  ]

  it.each(TABLE)('refuses %s', async (_, changes, status, code) => {
    verifies('base-protocol/errors-have-code-and-message', 'base-protocol/reserved-error-codes')
    verifies('statelessness/no-context-of-earlier-requests', { row: '_meta without capabilities' })
    verifies('meta/missing-field-is-refused', { row: '_meta without capabilities' })
    verifies('meta/reserved-keys-are-not-assumed', { row: 'a progress token that is an object' })
    verifies('progress/token-type', { row: 'a progress token that is an object' })
    verifies('meta/required-fields', { row: '_meta without a version' })
    verifies('meta/missing-field-is-refused', { row: '_meta without a version' })
    verifies('progress/token-type', { row: 'a fractional progress token' })
    verifies('streamable-http/metadata-headers-are-sent', { row: 'a missing Mcp-Method header' })
    verifies('request-headers/standard-headers-are-required', {
      row: 'a missing Mcp-Method header',
    })
    verifies('request-headers/version-header-is-required', { row: 'a missing version header' })
    verifies('request-headers/missing-version-header-is-refused', {
      row: 'a missing version header',
    })
    verifies('request-headers/version-header-matches-the-body', {
      row: 'a body with an unknown version',
    })
    verifies('request-headers/version-mismatch-is-refused', {
      row: 'a body with an unknown version',
    })
    verifies('request-headers/version-header-matches-the-body', { row: 'an older version header' })
    verifies('request-headers/version-mismatch-is-refused', { row: 'an older version header' })
    verifies('request-headers/version-mismatch-is-refused', { row: 'a repeated version header' })
    verifies('request-headers/unknown-method-is-not-found', { row: 'an unknown method' })
    verifies('request-headers/unknown-method-is-not-found', {
      row: 'the removed method initialize',
    })
    verifies('request-headers/standard-headers-are-required', { row: 'a missing Mcp-Name header' })
    verifies('request-headers/values-match-the-body', {
      row: 'an Mcp-Name header with another name',
    })
    verifies('request-headers/mismatch-is-400', { row: 'an Mcp-Name header with another name' })
    verifies('request-headers/values-match-the-body', {
      row: 'an Mcp-Method header with another method',
    })
    verifies('prompts/inputs-and-outputs-are-validated', { row: 'a missing prompt argument' })
    verifies('prompts/inputs-and-outputs-are-validated', {
      row: 'a prompt argument that is a number',
    })
    verifies('resources/missing-resource-code', { row: 'an unknown resource' })
    verifies('resources/uris-are-validated', { row: 'an invalid URI' })
    verifies('pagination/cursors-are-opaque', { row: 'a cursor that this server did not issue' })
    const answer = await send(changes)
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([status, code, 1])
  })

  it.each([0, '', -1, 'a "quoted" id', 9007199254740991])(
    'echoes the request id %j in every error',
    async (id) => {
      verifies('base-protocol/response-has-the-id-of-its-request')
      verifies('base-protocol/error-response-has-the-id-of-its-request')
      expect((await send({ method: 'nope' }, id)).body.id).toBe(id)
      expect((await send({ headers: { 'mcp-method': null } }, id)).body.id).toBe(id)
      expect((await send({ meta: { [CAPABILITIES]: undefined } }, id)).body.id).toBe(id)
      expect((await send({ params: { cursor: 5 } }, id)).body.id).toBe(id)
      expect((await send({}, id)).body.id).toBe(id)
    },
  )

  it('lists the supported versions when the version is unsupported', async () => {
    verifies('base-protocol/required-components-of-modern-servers')
    verifies('base-protocol/reserved-error-codes', 'versioning/unsupported-version-is-refused')
    const answer = await send({
      meta: { [VERSION]: 'v999.0.0' },
      headers: { 'mcp-protocol-version': 'v999.0.0' },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toEqual({
      code: -32022,
      message: 'Unsupported protocol version [protocol-version-unsupported]',
      data: { supported: ['2026-07-28'], requested: 'v999.0.0' },
    })
  })

  it('refuses an older revision in _meta', async () => {
    verifies('versioning/unsupported-version-is-refused')
    const answer = await send({
      meta: { [VERSION]: '2025-11-25' },
      headers: { 'mcp-protocol-version': '2025-11-25' },
    })
    expect([answer.status, answer.body.error.code]).toEqual([400, -32022])
  })

  it('refuses a body without _meta when the version header is modern', async () => {
    verifies('meta/required-fields', 'meta/missing-field-is-refused')
    const answer = await read(
      await app.post(
        { jsonrpc: '2.0', id: 3, method: 'tools/list', params: {} },
        { 'mcp-protocol-version': MODERN },
      ),
    )
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32602, 3])
  })

  it('refuses a response', async () => {
    verifies('statelessness/server-sends-no-requests')
    verifies('streamable-http/modern-client-sends-no-responses')
    const answer = await read(
      await app.post({ jsonrpc: '2.0', id: 3, result: {} }, { 'mcp-protocol-version': MODERN }),
    )
    expect([answer.status, answer.body.error.code]).toEqual([400, -32600])
  })

  it('returns the URI of a resource that was not found', async () => {
    verifies('base-protocol/error-codes-of-earlier-revisions', 'resources/missing-resource-code')
    verifies('resources/missing-resource-is-not-empty')
    const answer = await send({ method: 'resources/read', params: { uri: 'sample://item/gone' } })
    expect(answer.body.error).toEqual({
      code: -32602,
      message: 'Resource not found',
      data: { uri: 'sample://item/gone' },
    })
  })
})

describe('a modern request with tolerated deviations', () => {
  it('is served with further members of clientInfo that are malformed', async () => {
    const lenient = openApp(createSampleServer())
    const meta = { [CLIENT_INFO]: { name: 'test', version: '1', title: 5 } }
    expect((await lenient.modern('tools/list', {}, { meta })).status).toBe(200)
    expect(lenient.events.filter(({ type }) => type === 'leniency')).toEqual([])
  })

  const NAMELESS = [
    {},
    { name: 'test' },
    { version: '1' },
    { name: 5, version: '1' },
    { name: 'test', version: null },
    'test',
    null,
    [],
    5,
  ].map((clientInfo) => [clientInfo])

  it.each(NAMELESS)(
    'is served as that of an unnamed client and reported, with clientInfo %j',
    async (clientInfo) => {
      verifies('meta/reserved-keys-are-not-assumed')
      const named: unknown[] = []
      const server = createSampleServer()
      server.registerTool('who', {}, ({ client }) => {
        named.push(client.info)
        return 'done'
      })
      const lenient = openApp(server)
      const meta = { [CLIENT_INFO]: clientInfo }
      const answer = await lenient.modern('tools/call', { name: 'who' }, { meta })
      expect(answer.body.result.content[0].text).toBe('done')
      expect(named).toEqual([undefined])
      expect(lenient.events.filter(({ type }) => type === 'leniency')).toEqual([
        { type: 'leniency', name: 'client-info-malformed', method: 'tools/call' },
      ])
    },
  )

  it.each(NAMELESS)('is refused in strict mode, with clientInfo %j', async (clientInfo) => {
    const strict = openApp(createSampleServer(), { strict: true })
    const meta = { [CLIENT_INFO]: clientInfo }
    const answer = await strict.modern('server/discover', {}, { meta, id: 'd' })
    expect([answer.status, answer.body.id, answer.body.error.code]).toEqual([400, 'd', -32602])
    expect(answer.body.error.message).toBe(
      'io.modelcontextprotocol/clientInfo must be an object with a name and a version [meta-malformed]',
    )
  })

  it('is served without clientInfo', async () => {
    const answer = await send({ meta: { 'io.modelcontextprotocol/clientInfo': undefined } })
    expect(answer.status).toBe(200)
  })

  it('is served with header names in any case and white space around header values', async () => {
    verifies('request-headers/header-names-ignore-case')
    const { body } = modernRequest('tools/call', call.params)
    const answer = await read(
      await app.post(body, {
        'MCP-PROTOCOL-VERSION': MODERN,
        'mCP-mETHOD': 'tools/call',
        'Mcp-Name': '  echo  ',
      }),
    )
    expect(answer.body.result.content[0].text).toBe('x')
  })

  it('is served with an Mcp-Name header in base64', async () => {
    verifies('request-headers/name-header-is-encoded', 'request-headers/values-are-decoded')
    const answer = await send({ ...call, headers: { 'mcp-name': '=?base64?ZWNobw==?=' } })
    expect(answer.body.result.content[0].text).toBe('x')
  })

  it('is served with a session id and a last event id, which are ignored', async () => {
    verifies('statelessness/no-context-of-earlier-requests')
    const answer = await send({ headers: { 'mcp-session-id': 'x', 'last-event-id': 'y' } })
    expect(answer.status).toBe(200)
    expect(answer.headers.has('mcp-session-id')).toBe(false)
  })

  it('is served with an older version header only if trust-body is configured', async () => {
    const trusting = openApp(createSampleServer(), { headerMismatch: 'trust-body' })
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

describe('a notification of a modern client', () => {
  const notify = (params: unknown) =>
    app.post(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params },
      { 'mcp-protocol-version': MODERN, 'mcp-method': 'notifications/cancelled' },
    )

  it('is accepted with an empty 202 and reported', async () => {
    verifies('base-protocol/notification-is-not-answered')
    verifies('streamable-http/accepted-notification-has-202')
    const response = await notify({ requestId: 1 })
    expect([response.status, await response.text()]).toEqual([202, ''])
    expect(app.events.at(-1)).toMatchObject({ name: 'notification-in-modern-era' })
  })

  it('is refused with 400 when its params are no object', async () => {
    verifies('streamable-http/refused-notification-has-an-error-status')
    const { status, body } = await read(await notify([]))
    expect([status, body.error.code, 'id' in body]).toEqual([400, -32602, false])
  })
})

describe('Mcp-Param headers', () => {
  const routed = (args: Record<string, unknown>, headers: Record<string, string>) =>
    send({ method: 'tools/call', params: { name: 'routed', arguments: args }, headers })

  const SAME: readonly [string, Record<string, unknown>, Record<string, string>][] = [
    ['no mirrored arguments', {}, {}],
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
      'an undeclared header',
      { region: 'eu' },
      { 'mcp-param-region': 'eu', 'mcp-param-other': 'x' },
    ],
  ]
  it.each(SAME)('match %s in the body', async (_, args, headers) => {
    verifies('request-headers/unsafe-values-are-base64', { row: 'a string in base64' })
    verifies('request-headers/values-are-decoded', { row: 'a string in base64' })
    verifies('request-headers/unknown-headers-are-forwarded', { row: 'an undeclared header' })
    verifies('request-headers/absent-values-need-no-header', { row: 'no mirrored arguments' })
    const answer = await routed(args, headers)
    expect(JSON.parse(answer.body.result.content[0].text)).toEqual(args)
  })

  const DIFFERENT: readonly [string, Record<string, unknown>, Record<string, string>][] = [
    ['a missing header', { region: 'eu' }, {}],
    ['a missing nested header', { target: { zone: 'a' } }, {}],
    ['a different value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['a value in another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
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
      'base64 with invalid characters',
      { region: 'Hello' },
      { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' },
    ],
    [
      'base64 with non-zero trailing bits',
      { region: 'Hello' },
      { 'mcp-param-region': '=?base64?SGVsbG9=?=' },
    ],
    ['base64 that is not UTF-8', { region: '\ufffd' }, { 'mcp-param-region': '=?base64?/w==?=' }],
    ['a value sent twice', { region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
    ['a different integer', { level: 42 }, { 'mcp-param-level': '43' }],
    ['an integer in hexadecimal', { level: 66 }, { 'mcp-param-level': '0x42' }],
    ['an empty integer', { level: 0 }, { 'mcp-param-level': '' }],
    [
      'an integer beyond the safe range',
      { level: 2 ** 53 },
      { 'mcp-param-level': '9007199254740993' },
    ],
    ['a boolean in capitals', { dry: true }, { 'mcp-param-dry': 'True' }],
    ['a boolean as a number', { dry: true }, { 'mcp-param-dry': '1' }],
  ]
  it.each(DIFFERENT)('refuse a request with %s', async (_, args, headers) => {
    verifies('request-headers/param-headers-are-sent', { row: 'a missing header' })
    verifies('request-headers/missing-param-header-is-refused', { row: 'a missing header' })
    verifies('request-headers/param-header-is-omitted', { row: 'a header for null' })
    verifies('request-headers/param-header-is-omitted', {
      row: 'a header without a value in the body',
    })
    verifies('request-headers/mirrored-integers-are-safe', {
      row: 'an integer beyond the safe range',
    })
    verifies('request-headers/mirrored-integers-are-safe', {
      row: 'a fraction that rounds to the integer',
    })
    verifies('request-headers/invalid-characters-are-refused', {
      row: 'base64 with invalid characters',
    })
    verifies('request-headers/invalid-characters-are-refused', { row: 'base64 that is not UTF-8' })
    verifies('request-headers/values-match-the-body', { row: 'a different value' })
    verifies('request-headers/mismatch-is-400')
    verifies('request-headers/missing-param-header-is-refused', { row: 'a missing nested header' })
    const answer = await routed(args, headers)
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([400, -32020, 1])
  })

  it('are not required for null', async () => {
    verifies('request-headers/absent-values-need-no-header')
    const answer = await routed({ region: null }, {})
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
  })

  it('are not required for an object argument, which the schema of the tool refuses', async () => {
    const answer = await routed({ region: { a: 1 } }, {})
    expect(answer.body.result.isError).toBe(true)
  })
})
