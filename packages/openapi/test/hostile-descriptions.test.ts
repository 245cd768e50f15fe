/** Descriptions that cannot be served, and hostile ones: each fault with its place and its reason. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { McpServer } from '../../../src/index.ts'
import { fromOpenAPI, prepareOpenAPI } from '../src/index.ts'
import { pets } from './support/pets.ts'
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

describe('a description', () => {
  it.each([
    [
      'text',
      '{"openapi":"3.1.0"}' as unknown as object,
      /must be an object: parse its JSON, or convert its YAML/,
    ],
    ['null', null as unknown as object, /must be an object/],
    ['no description', {}, /"openapi" of the description is missing; versions 3.0 and 3.1/],
    ['Swagger 2.0', { swagger: '2.0' }, /Swagger 2\.0\. Convert it .* npx swagger2openapi/],
    [
      'version 3.2',
      { openapi: '3.2.0' },
      /"3\.2\.0"; versions 3\.0 and 3\.1 .*declared as "3\.1\.1"/,
    ],
    ['version 4', { openapi: '4.0.0' }, /"4\.0\.0"/],
    ['a number as its version', { openapi: 3.1 }, /is 3\.1;/],
    ['a list of paths', { openapi: '3.1.0', paths: [] }, /it must be an object \(at #\/paths\)/],
  ])('is refused as %s', (_, document, message) => {
    expect(() => fromOpenAPI(document)).toThrow(message)
  })

  it.each([
    { openapi: '3.1.0' },
    { openapi: '3.0.0', paths: null },
    { openapi: '3.1.1', webhooks: {} },
  ])('without paths has no tools: %j', (document) => {
    expect(prepareOpenAPI(document).operations).toEqual([])
  })

  it('may have null for what is empty, as YAML has it', async () => {
    const empty = {
      parameters: null,
      requestBody: null,
      responses: null,
      tags: null,
      security: null,
    }
    const content = { 'application/json': { schema: { properties: { a: null } } } }
    const paths = {
      '/none': null,
      '/empty': { parameters: null, get: null, post: empty },
      '/media': {
        post: { operationId: 'media', requestBody: { content: { 'text/plain': null } } },
      },
      '/schema': { post: { operationId: 'schema', requestBody: { content } } },
    }
    const document = { openapi: '3.1.0', servers: [{ url: 'https://a.example' }], paths }
    const tools = await listTools(openServer(fromOpenAPI(document)))
    expect(tools.map(({ name }) => name)).toEqual(['get_empty', 'post_empty', 'media', 'schema'])
    expect(tools[3].inputSchema.properties.body).toEqual({ properties: { a: {} } })
  })

  it('is neither changed nor kept open to changes', () => {
    const document = structuredClone(pets)
    fromOpenAPI(document, { deprecated: true })
    expect(document).toEqual(pets)
  })
})

/** Faults of one operation: what it is, where, and the reason. */
const body = (schema: unknown) => ({ requestBody: { content: { 'application/json': { schema } } } })
const FAULTS: readonly (readonly [string, object, string, RegExp])[] = [
  [
    'a reference to a file',
    body({ $ref: './pet.yaml#/Pet' }),
    '/requestBody/content/application~1json/schema',
    /bundle the files/,
  ],
  [
    'a reference to a host',
    body({ $ref: 'https://evil.example/x' }),
    '/requestBody/content/application~1json/schema',
    /does not point into this document/,
  ],
  [
    'a reference that leads nowhere',
    { parameters: [{ $ref: '#/components/parameters/x' }] },
    '/parameters/0',
    /leads nowhere/,
  ],
  [
    'a reference to an inherited member',
    { parameters: [{ $ref: '#/constructor' }] },
    '/parameters/0',
    /leads nowhere/,
  ],
  [
    'a schema that is none',
    body('string'),
    '/requestBody/content/application~1json/schema',
    /not a schema/,
  ],
  [
    'a parameter in an unknown place',
    { parameters: [{ name: 'x', in: 'body' }] },
    '/parameters/0',
    /"in" must be path, query/,
  ],
  [
    'a parameter without a name',
    { parameters: [{ in: 'query' }] },
    '/parameters/0',
    /needs a name/,
  ],
  [
    'a style of another place',
    { parameters: [{ name: 'x', in: 'query', style: 'matrix' }] },
    '/parameters/0',
    /style of a parameter in query must be form/,
  ],
  [
    'the name of a header with a line break',
    { parameters: [{ name: 'x\r\ny', in: 'header' }] },
    '/parameters/0',
    /not the name of a header/,
  ],
  ['parameters that are no list', { parameters: {} }, '/parameters', /must be an array/],
]

describe('an operation that cannot be served', () => {
  it.each(FAULTS)('is refused at start: %s', (_, operation, pointer, reason) => {
    const document = describeOperation(operation, { method: 'post' })
    const place = `#/paths/~1things/post${pointer}`
    expect(() => fromOpenAPI(document)).toThrow(reason)
    expect(() => fromOpenAPI(document)).toThrow(`POST /things: `)
    const { skipped, operations } = prepareOpenAPI(document, { onUnsupported: 'skip' })
    expect(operations).toEqual([])
    expect(skipped).toEqual([
      { operation: 'POST /things', pointer: place, reason: expect.stringMatching(reason) },
    ])
  })

  it('is skipped with a report, and the others are served', () => {
    const paths = {
      ...pets.paths,
      '/bad': { $ref: '#/nowhere' },
      bad: { get: {} },
      '/b': { get: 1 },
    }
    const prepared = prepareOpenAPI({ ...pets, paths }, { onUnsupported: 'skip' })
    expect(prepared.operations).toHaveLength(6)
    expect(prepared.skipped.map(({ operation, pointer }) => [operation, pointer])).toEqual([
      ['/bad', '#/paths/~1bad'],
      ['GET bad', '#/paths/bad/get'],
      ['GET /b', '#/paths/~1b/get'],
    ])
  })

  it('is refused only if it is included', () => {
    const paths = {
      ...pets.paths,
      '/bad': { get: body({ $ref: 'x.yaml' }), post: body({ $ref: 'x.yaml' }) },
    }
    expect(() => fromOpenAPI({ ...pets, paths })).toThrow(/1 of the operations cannot be served/)
    expect(fromOpenAPI({ ...pets, paths }, { exclude: { paths: ['/bad'] } })).toBeInstanceOf(
      McpServer,
    )
  })

  it('is listed with at most nine others', () => {
    const bad = Array.from({ length: 30 }, (_, n) => [`/bad${n}`, { post: body(1) }])
    expect(() => fromOpenAPI({ ...pets, paths: Object.fromEntries(bad) })).toThrow(
      /- and 20 more\n/,
    )
  })
})

describe('a hostile description', () => {
  const schemas = (all: object, first = 'A') =>
    describeOperation(body({ $ref: `#/components/schemas/${first}` }), {
      method: 'post',
      components: { schemas: all },
    })
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

  it.each([
    ['a reference to itself', schemas({ A: ref('A') })],
    ['references in a circle', schemas({ A: ref('B'), B: ref('A') })],
    ['allOf of itself', schemas({ A: { allOf: [ref('A')] } })],
  ])('with %s is refused', (_, document) => {
    expect(() => fromOpenAPI(document)).toThrow(/lead(?:s)? back to/)
  })

  it('that was dereferenced to a cycle is refused, and says what to do', () => {
    const node: Record<string, unknown> = { type: 'object' }
    node.properties = { next: node }
    const document = describeOperation(body(node), { method: 'post' })
    expect(() => fromOpenAPI(document)).toThrow(/give the description with its references/)
  })

  it('with parameters in a circle is refused', () => {
    const parameters = {
      a: { $ref: '#/components/parameters/b' },
      b: { $ref: '#/components/parameters/a' },
    }
    const document = describeOperation(
      { parameters: [parameters.b] },
      { components: { parameters } },
    )
    expect(() => fromOpenAPI(document)).toThrow(/references lead back to themselves/)
  })

  it('with names of prototypes is served by these names', async () => {
    const text = JSON.stringify(schemas({})).replace(
      '"schemas":{}',
      '"schemas":{"A":{"$ref":"#/components/schemas/__proto__"},"__proto__":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}}}',
    )
    const [tool] = await listTools(openServer(fromOpenAPI(JSON.parse(text))))
    const $defs: Record<string, { properties?: object }> = tool.inputSchema.$defs
    expect(Object.keys($defs)).toEqual(['A', '__proto__'])
    expect(Object.keys(Object.entries($defs)[1]?.[1]?.properties ?? {})).toEqual([
      '__proto__',
      'constructor',
    ])
    expect(({} as { type?: string }).type).toBeUndefined()
  })

  it('with a schema that doubles 30 times is shortened', () => {
    const all = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `S${n}`,
        n === 29
          ? { type: 'string', description: 'x'.repeat(2_000) }
          : { properties: { a: ref(`S${n + 1}`), b: ref(`S${n + 1}`) } },
      ]),
    )
    const { operations } = prepareOpenAPI(schemas(all, 'S0'))
    expect(operations[0]?.pruning).toBe('none')
  })

  it('drops an anyOf of 3,000 schemas and keeps the tool', () => {
    const wide = { anyOf: Array.from({ length: 3_000 }, (_, n) => ({ const: n })) }
    const { operations } = prepareOpenAPI(
      schemas({ A: { type: 'object', properties: { a: wide } } }),
    )
    expect(operations[0]?.pruning).toMatch(/^depth-/)
  })

  it('with dots in its path does not leave the base URL', async () => {
    for (const path of ['/../admin', '/%2e%2e/admin', '/a/%2E./../b']) {
      const sent = playUpstream()
      const app = openServer(fromOpenAPI(describeOperation({}, { path })))
      expect(await callTool(app, 'call')).toMatchObject({ isError: true })
      expect(sent).toEqual([])
    }
  })

  it.each([
    ['//evil.example/x', 'https://api.example/v1//evil.example/x'],
    ['/@evil.example', 'https://api.example/v1/@evil.example'],
    ['/a b?x=1 2#frag', 'https://api.example/v1/a%20b?x=1%202'],
    ['/a%2Fb\\c', 'https://api.example/v1/a%2Fb%5Cc'],
    ['/\r\nhost: x', 'https://api.example/v1/%0D%0Ahost:%20x'],
  ])('with the path %j is requested at the origin of its server', async (path, url) => {
    const sent = playUpstream()
    await callTool(openServer(fromOpenAPI(describeOperation({}, { path }))), 'call')
    expect(sent[0]?.url).toBe(url)
  })

  it('cannot make clients repeat arguments in headers', async () => {
    const schema = { type: 'string', 'x-mcp-header': 'Authorization' }
    const parameters = [{ name: 'a', in: 'query', schema, 'x-mcp-header': 'Host' }]
    const [tool] = await listTools(openServer(fromOpenAPI(describeOperation({ parameters }))))
    expect(JSON.stringify(tool)).not.toContain('x-mcp-header')
  })
})
