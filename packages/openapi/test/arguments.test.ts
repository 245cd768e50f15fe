/** The arguments of a tool: names, schemas, and what a request is made of. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fromOpenAPI } from '../src/index.ts'
import {
  callTool,
  describeOperation,
  listTools,
  openServer,
  playUpstream,
} from './support/upstream.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const parameter = (name: string, at: string, schema: object = { type: 'string' }, more = {}) => ({
  name,
  in: at,
  schema,
  ...more,
})

async function inputOf(operation: object, around: Record<string, unknown> = {}) {
  const server = fromOpenAPI(describeOperation(operation, around))
  const [tool] = await listTools(openServer(server))
  return tool.inputSchema
}

describe('the names of arguments', () => {
  it('are the names of the parameters, and body for the request body', async () => {
    const { properties, required, additionalProperties } = await inputOf(
      {
        parameters: [parameter('id', 'path'), parameter('limit', 'query', { type: 'integer' })],
        requestBody: { required: true, content: { 'application/json': { schema: {} } } },
      },
      { method: 'put', path: '/things/{id}' },
    )
    expect(Object.keys(properties)).toEqual(['id', 'limit', 'body'])
    expect(required).toEqual(['id', 'body'])
    expect(additionalProperties).toBe(false)
  })

  it('contain the place where parameters of several places share a name, or one is named body', async () => {
    const { properties } = await inputOf(
      {
        parameters: [
          parameter('id', 'path'),
          parameter('id', 'query'),
          parameter('body', 'query'),
          parameter('id_query', 'header'),
        ],
        requestBody: { content: { 'application/json': { schema: {} } } },
      },
      { method: 'post', path: '/things/{id}' },
    )
    expect(Object.keys(properties)).toEqual([
      'id_path',
      'id_query',
      'body_query',
      'id_query_header',
      'body',
    ])
  })

  it('have only characters that every host accepts, and at most 64 of them', async () => {
    const long = 'x'.repeat(100)
    const { properties } = await inputOf({
      parameters: [
        parameter('filter[name]', 'query'),
        parameter('$top', 'query'),
        parameter('größe', 'query'),
        parameter('[]', 'query'),
        parameter('__proto__', 'query'),
        parameter(long, 'query'),
      ],
    })
    const names = Object.keys(properties)
    expect(names.slice(0, 5)).toEqual(['filter_name', 'top', 'gr_e', 'value', '__proto__'])
    expect(names[5]).toMatch(/^x{55}_[0-9a-f]{8}$/)
  })

  it('tell the filters of one name with < and > apart', async () => {
    const sent = playUpstream()
    const names = ['Date', 'Date<', 'Date>', 'Date<=', '<a>b']
    const document = describeOperation({
      parameters: names.map((name) => parameter(name, 'query')),
    })
    const app = openServer(fromOpenAPI(document))
    const [tool] = await listTools(app)
    const found = Object.keys(tool.inputSchema.properties)
    expect(found).toEqual(['Date', 'Date_lt', 'Date_gt', 'Date_lte', 'lt_a_gt_b'])
    await callTool(app, 'call', { Date_lt: '1', Date_gt: '2' })
    expect(sent[0]?.url).toBe('https://api.example/v1/things?Date%3C=1&Date%3E=2')
  })

  it('lead to the parameters as the description names them', async () => {
    const sent = playUpstream()
    const document = describeOperation({
      parameters: [
        parameter('filter[name]', 'query'),
        parameter('$top', 'query', { type: 'integer' }),
        parameter('__proto__', 'query'),
      ],
    })
    const args = JSON.parse('{"filter_name":"a b","top":5,"__proto__":"x"}')
    await callTool(openServer(fromOpenAPI(document)), 'call', args)
    expect(sent[0]?.url).toBe(
      'https://api.example/v1/things?filter%5Bname%5D=a%20b&%24top=5&__proto__=x',
    )
  })
})

describe('the parameters of a path item', () => {
  const item = {
    parameters: [parameter('id', 'path'), parameter('lang', 'query', { type: 'integer' })],
    get: {
      operationId: 'call',
      parameters: [parameter('lang', 'query', { type: 'string', enum: ['de', 'en'] })],
    },
  }

  it('are merged with those of the operation, which replace them', async () => {
    const document = describeOperation({}, { paths: { '/things/{id}': item } })
    const [tool] = await listTools(openServer(fromOpenAPI(document)))
    expect(tool.inputSchema.properties).toEqual({
      id: { type: 'string' },
      lang: { type: 'string', enum: ['de', 'en'] },
    })
  })
})

describe('a parameter that is not an argument', () => {
  it.each([
    ['a header that OpenAPI reserves', parameter('Authorization', 'header')],
    ['a header of the connection', parameter('Content-Length', 'header')],
    ['the field of cookies', parameter('Cookie', 'header')],
    ['the API key of a security scheme', parameter('X-Key', 'header')],
    ['a path parameter that the path does not contain', parameter('other', 'path')],
  ])('is %s', async (_, one) => {
    const components = {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } },
    }
    const { properties } = await inputOf({ parameters: [one] }, { components })
    expect(properties).toEqual({})
  })

  it('a name in the path without a parameter is a required text', async () => {
    const { properties, required } = await inputOf({}, { path: '/a/{id}/b' })
    expect(properties).toEqual({ id: { type: 'string' } })
    expect(required).toEqual(['id'])
  })
})

describe('a required parameter with a default', () => {
  it('need not be given, and its default is sent', async () => {
    const sent = playUpstream()
    const version = parameter('v', 'query', { type: 'string', default: '2' }, { required: true })
    const document = describeOperation({ parameters: [version] })
    const app = openServer(fromOpenAPI(document))
    const [tool] = await listTools(app)
    expect(tool.inputSchema.required).toBeUndefined()
    await callTool(app, 'call')
    await callTool(app, 'call', { v: '3' })
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?v=2', '?v=3'])
  })

  it.each([
    ['a reference', '3.1.0', { $ref: '#/components/schemas/Size' }],
    ['an allOf of one reference', '3.0.3', { allOf: [{ $ref: '#/components/schemas/Size' }] }],
    [
      'an alternative to null',
      '3.1.0',
      { anyOf: [{ $ref: '#/components/schemas/Size' }, { type: 'null' }] },
    ],
  ])('need not be given where its schema is %s in %s', async (_, openapi, schema) => {
    const sent = playUpstream()
    const document = describeOperation(
      { parameters: [parameter('size', 'query', schema, { required: true })] },
      { openapi, components: { schemas: { Size: { type: 'string', default: 's' } } } },
    )
    const app = openServer(fromOpenAPI(document))
    const [tool] = await listTools(app)
    expect(tool.inputSchema.required).toBeUndefined()
    await callTool(app, 'call')
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?size=s'])
  })
})

describe('a required parameter with a default that is not sent', () => {
  it.each([
    ['query', { type: 'string', nullable: true, default: null }],
    ['query', { type: 'array', items: {}, default: [] }],
    ['query', { type: 'object', default: {} }],
    ['path', { type: 'string', default: '' }],
  ])('must be given in the %s: %j', async (place, schema) => {
    const document = describeOperation(
      { parameters: [parameter('v', place, schema, { required: true })] },
      { openapi: '3.0.3', path: place === 'path' ? '/things/{v}' : '/things' },
    )
    const [tool] = await listTools(openServer(fromOpenAPI(document)))
    expect(tool.inputSchema.required).toEqual(['v'])
  })
})

describe('arguments that do not match the schema', () => {
  it.each([
    ['a missing argument', {}, /id/],
    ['a value of another type', { id: 'a', limit: 'ten' }, /limit: must be integer/],
  ])('are refused without a request: %s', async (_, args, message) => {
    const sent = playUpstream()
    const document = describeOperation(
      { parameters: [parameter('id', 'path'), parameter('limit', 'query', { type: 'integer' })] },
      { path: '/things/{id}' },
    )
    const result = await callTool(openServer(fromOpenAPI(document)), 'call', args)
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toMatch(message)
    expect(sent).toEqual([])
  })
})

describe('arguments that the operation does not declare', () => {
  it('are dropped, as hosts add their own', async () => {
    const sent = playUpstream()
    const document = describeOperation(
      { parameters: [parameter('id', 'path')] },
      { path: '/things/{id}' },
    )
    const args = { id: 'a', toolCallId: '1', chatInput: null }
    const result = await callTool(openServer(fromOpenAPI(document)), 'call', args)
    expect(result.isError).toBeFalsy()
    expect(sent.map(({ url }) => new URL(url).pathname + new URL(url).search)).toEqual([
      '/v1/things/a',
    ])
  })
})

describe('hostile arguments', () => {
  /** Values of a path parameter, and the path that is requested, or undefined for a refusal. */
  const PATHS: readonly (readonly [string, string | undefined])[] = [
    ['..', undefined],
    ['.', undefined],
    ['', undefined],
    ['%2e%2e%2fadmin', undefined],
    ['%20', '/v1/things/%2520/x'],
    ['a?key=1', '/v1/things/a%3Fkey%3D1/x'],
    ['a#b', '/v1/things/a%23b/x'],
    ['a/b', '/v1/things/a%2Fb/x'],
    ['//evil.example', '/v1/things/%2F%2Fevil.example/x'],
    ['@evil.example', '/v1/things/%40evil.example/x'],
    ['a\r\nHost: evil', '/v1/things/a%0D%0AHost%3A%20evil/x'],
    ['\ud800', '/v1/things/%EF%BF%BD/x'],
    ['…', '/v1/things/%E2%80%A6/x'],
    ['feature/...', '/v1/things/feature%2F.../x'],
    ['../admin', undefined],
    ['..\\admin', undefined],
    ['a/../../admin', undefined],
    ['a/./b', undefined],
    ['..%2Fadmin', undefined],
    ['..%5cadmin', undefined],
    ['..%252Fadmin', undefined],
    ['%2e%2e', undefined],
    ['%25252e%252E/x', undefined],
    ['..;', undefined],
    ['..;a=b/admin', undefined],
    ['..%3b/admin', undefined],
  ]

  it.each(PATHS)('the path parameter %j cannot leave its segment', async (value, pathname) => {
    const sent = playUpstream()
    const document = describeOperation(
      { parameters: [parameter('id', 'path')] },
      { path: '/things/{id}/x' },
    )
    const result = await callTool(openServer(fromOpenAPI(document)), 'call', { id: value })
    if (pathname === undefined) {
      expect(sent).toEqual([])
      expect(result.isError).toBe(true)
      return
    }
    expect(sent[0]?.url).toBe(`https://api.example${pathname}`)
  })

  it.each([
    ['label', '', undefined],
    ['label', '.', undefined],
    ['label', 'a', 'https://api.example/v1/.a'],
  ])('a whole segment of style %s with the value %j', async (style, value, url) => {
    const sent = playUpstream()
    const document = describeOperation(
      { parameters: [parameter('id', 'path', { type: 'string' }, { style })] },
      { path: '/{id}' },
    )
    await callTool(openServer(fromOpenAPI(document)), 'call', { id: value })
    expect(sent[0]?.url).toBe(url)
  })

  it.each(['path', 'query', 'header', 'cookie'])(
    'a number above 2^53 in the %s is not sent, and a text with its digits is',
    async (at) => {
      const sent = playUpstream()
      const document = describeOperation(
        { parameters: [parameter('id', at, { type: 'integer' })] },
        { path: at === 'path' ? '/things/{id}' : '/things' },
      )
      const result = await callTool(openServer(fromOpenAPI(document)), 'call', {
        id: Number('12345678901234567891'),
      })
      expect(result.content[0].text).toMatch(
        /^Invalid arguments: 12345678901234567000 is beyond 2\^53/,
      )
      expect(sent).toEqual([])
      const inputSchema = () => ({ type: 'object', properties: { id: { type: 'string' } } })
      const server = fromOpenAPI(document, { operations: { call: { inputSchema } } })
      await callTool(openServer(server), 'call', { id: '12345678901234567891' })
      expect(JSON.stringify([sent[0]?.url, ...(sent[0]?.headers ?? [])])).toContain(
        '12345678901234567891',
      )
    },
  )

  it.each(['a\r\nx-admin: 1', 'a\nb', 'a\u0000b', 'naïve', '日本'])(
    'a header cannot have the value %j',
    async (value) => {
      const sent = playUpstream()
      const document = describeOperation({ parameters: [parameter('X-Name', 'header')] })
      const result = await callTool(openServer(fromOpenAPI(document)), 'call', { 'X-Name': value })
      expect(result).toMatchObject({ isError: true })
      expect(result.content[0].text).toBe(
        'Invalid arguments: X-Name may only contain ASCII characters',
      )
      expect(sent).toEqual([])
    },
  )

  const OBJECT = { type: 'object', additionalProperties: true }
  const secured = {
    components: {
      securitySchemes: {
        query: { type: 'apiKey', in: 'query', name: 'api_key' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
      },
    },
  }

  it.each([
    ['query', 'tenant', { tenant: 'other' }],
    ['query', 'tenant', { 'tenant[]': 'other' }],
    ['query', 'tenant', { 'tenant=other': '' }],
    ['query', 'api_key', { api_key: 'other' }],
    ['query', 'api_key', { API_KEY: 'other' }],
    ['query', 'api_key', { 'api.key': 'other' }],
    ['query', 'api_key', { 'api key': 'other' }],
    ['query', 'api_key', { ' api_key\t': 'other' }],
    ['query', 'api_key', { 'api-key[x]': 'other' }],
    ['query', 'api_key', { 'api_key\0x': 'other' }],
    ['query', 'api_key', { ａpi_key: 'other' }],
    ['query', 'api_key', { 'a;api_key': 'other' }],
    ['query', 'api_key', { 'a=b；API-key=other': '' }],
    ['query', 'action', { action: 'delete' }],
    ['cookie', 'session', { session: 'other' }],
    ['cookie', 'session', { Session: 'other' }],
    ['cookie', 'session', { 'a; session': 'other' }],
  ])(
    'an object whose members are parameters in the %s cannot send %s as %j',
    async (place, _, more) => {
      const sent = playUpstream()
      const document = describeOperation(
        {
          parameters: [parameter('tenant', 'query'), parameter('more', place, OBJECT)],
          security: [{ query: [], cookie: [] }],
        },
        { path: '/things?action=list', ...secured },
      )
      const operations = { call: { fixed: { tenant: 'own' } } }
      const app = openServer(fromOpenAPI(document, { operations, auth: () => 'the-key' }))
      const result = await callTool(app, 'call', { more })
      expect(result.content[0].text).toBe(
        `Invalid arguments: more must not have ${JSON.stringify(Object.keys(more)[0])}: the description has that parameter`,
      )
      expect(sent).toEqual([])
      await callTool(app, 'call', { more: { colour: 'red' } })
      expect(sent).toHaveLength(1)
    },
  )

  it('a cookie cannot contain another one', async () => {
    const sent = playUpstream()
    const document = describeOperation({ parameters: [parameter('theme', 'cookie')] })
    const app = openServer(fromOpenAPI(document))
    await callTool(app, 'call', { theme: 'dark; admin=1\r\nx: y' })
    expect(sent[0]?.headers.get('cookie')).toBe('theme=dark%3B%20admin%3D1%0D%0Ax%3A%20y')
  })
})
