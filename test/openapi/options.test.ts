/** What becomes a tool: names, filters, overrides, servers, and what is refused at start. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { fromOpenAPI, type OpenAPIOptions, prepareOpenAPI } from '../../src/openapi/index.ts'
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

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const pets = {
  openapi: '3.0.3',
  info: { title: ' Pet  Store! ', version: '1.2.3' },
  servers: [{ url: 'https://api.example/v1/' }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', tags: ['read'], summary: 'List pets' },
      post: { operationId: 'pets/create one', summary: 'Create', description: 'Long.' },
    },
    '/pets/{id}': {
      parameters: [id],
      get: { operationId: 'pets/get', tags: ['read'] },
      put: { operationId: 'pets_get' },
      delete: { tags: ['admin'], deprecated: true },
      patch: {},
    },
    '/admin/{id}/keys': { head: { tags: ['admin'], 'x-internal': true } },
  },
}

const namesOf = (options?: OpenAPIOptions<object>) =>
  prepareOpenAPI<object>(pets, options).operations.map(({ name }) => name)

describe('a tool', () => {
  it('has the name of the operation, valid and unique, or method and path', () => {
    expect(namesOf({ deprecated: true })).toEqual([
      'listPets',
      'pets_create_one',
      'pets_get',
      'pets_get_2',
      'delete_pets_id',
      'patch_pets_id',
      'head_admin_id_keys',
    ])
  })

  it('has the same name whatever is included', () => {
    expect(namesOf({ include: { methods: ['PUT'] } })).toEqual(['pets_get_2'])
  })

  it('has a name of at most 64 characters', () => {
    const long = `a${'b'.repeat(200)}`
    const { operations } = prepareOpenAPI(describeOperation({ operationId: long }))
    expect(operations[0]?.name).toMatch(/^ab{54}_[0-9a-f]{8}$/)
  })

  it('has title, description and annotations of its operation', async () => {
    const tools = await listTools(openServer(fromOpenAPI(pets, { deprecated: true })))
    const [list, create, , put, remove] = tools
    expect(list).toMatchObject({
      title: 'List pets',
      description: 'List pets',
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    })
    expect(create.description).toBe('Create\n\nLong.')
    expect(create.annotations).toEqual({
      readOnlyHint: false,
      idempotentHint: false,
      openWorldHint: true,
    })
    expect(put.annotations).toMatchObject({ idempotentHint: true, destructiveHint: true })
    expect(remove).toMatchObject({
      description: 'Deprecated.',
      annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: true },
    })
  })

  it('has a description of at most 1,024 characters', async () => {
    const document = describeOperation({ description: 'word '.repeat(1_000) })
    const [tool] = await listTools(openServer(fromOpenAPI(document)))
    expect(tool.description).toHaveLength(1_024)
  })
})

describe('the server', () => {
  it('has name, title and version of the description', async () => {
    const { body } = await openServer(fromOpenAPI(pets)).session('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    })
    expect(body.result.serverInfo).toEqual({
      name: 'pet-store',
      title: 'Pet  Store!',
      version: '1.2.3',
    })
  })

  it('has the name, version and instructions of the options', async () => {
    const options = { name: 'mine', version: '9', instructions: 'Be kind.' }
    const { body } = await openServer(fromOpenAPI(pets, options)).modern('server/discover')
    expect(body.result).toMatchObject({ instructions: 'Be kind.' })
    expect(JSON.stringify(body.result)).toContain('"name":"mine","version":"9"')
  })
})

describe('the operations that become tools', () => {
  it.each([
    ['without deprecated ones', {}, 6],
    ['with deprecated ones', { deprecated: true }, 7],
    ['of a tag', { include: { tags: ['read'] } }, 2],
    ['of a tag and a method', { include: { tags: ['read', 'admin'], methods: ['HEAD'] } }, 1],
    ['of a path', { include: { paths: ['/pets'] } }, 2],
    ['below a path', { include: { paths: ['/pets*'] } }, 5],
    ['of an operationId', { include: { operationIds: ['listPets', 'nope'] } }, 1],
    ['of one of several filters', { include: [{ paths: ['/pets'] }, { tags: ['admin'] }] }, 3],
    ['of a function', { include: ({ path }) => path === '/pets' }, 2],
    [
      'without those that an extension marks',
      { exclude: ({ source }) => source['x-internal'] === true },
      5,
    ],
    ['without excluded ones', { include: { paths: ['/pets*'] }, exclude: { methods: ['GET'] } }, 3],
    ['without skipped ones', { operations: { listPets: { skip: true } } }, 5],
  ] satisfies [string, OpenAPIOptions<object>, number][])('are those %s', (_, options, count) => {
    expect(namesOf(options)).toHaveLength(count)
  })

  it('are reported with their place in the description', () => {
    expect(prepareOpenAPI(pets).operations[2]).toMatchObject({
      name: 'pets_get',
      operationId: 'pets/get',
      method: 'GET',
      path: '/pets/{id}',
      pointer: '#/paths/~1pets~1{id}/get',
      pruning: 'none',
    })
  })
})

describe('an override', () => {
  const document = describeOperation(
    {
      parameters: [
        id,
        { name: 'version', in: 'header', required: true, schema: { type: 'string' } },
        { name: 'limit', in: 'query', schema: { type: 'integer' } },
        { name: 'debug', in: 'query', schema: { type: 'boolean' } },
      ],
    },
    { path: '/things/{id}' },
  )

  it('names and describes the tool', async () => {
    const operations = {
      'GET /things/{id}': {
        name: 'get_thing',
        title: 'A thing',
        description: 'Returns a thing.',
        annotations: { openWorldHint: false },
        _meta: { a: 1 },
      },
    }
    const [tool] = await listTools(openServer(fromOpenAPI(document, { operations })))
    expect(tool).toMatchObject({
      name: 'get_thing',
      title: 'A thing',
      description: 'Returns a thing.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      _meta: { a: 1 },
    })
  })

  it('hides arguments, and fixes the value of others', async () => {
    const sent = playUpstream()
    const call = {
      hidden: ['debug'],
      fixed: { version: '2', limit: async (ctx: { env: object }) => Object.keys(ctx.env).length },
    }
    const app = openServer(fromOpenAPI(document, { operations: { call } }), { A: 1, B: 2 })
    const [tool] = await listTools(app)
    expect(tool.inputSchema).toMatchObject({ required: ['id'] })
    expect(Object.keys(tool.inputSchema.properties)).toEqual(['id'])
    await callTool(app, 'call', { id: 'x' })
    expect(sent[0]?.url).toBe('https://api.example/v1/things/x?limit=2')
    expect(sent[0]?.headers.get('version')).toBe('2')
    expect(await callTool(app, 'call', { id: 'x', limit: 9 })).toMatchObject({ isError: true })
  })

  it('edits the input schema and the arguments', async () => {
    const sent = playUpstream()
    const call = {
      inputSchema: (schema: object) => ({
        ...schema,
        properties: { name: { type: 'string' } },
        required: ['name'],
      }),
      transformArguments: async ({ name }: Record<string, unknown>) => ({ id: `id-${name}` }),
    }
    const app = openServer(fromOpenAPI(document, { operations: { call } }))
    await callTool(app, 'call', { name: 'x' })
    expect(sent[0]?.url).toBe('https://api.example/v1/things/id-x')
  })

  it('changes the request, without seeing credentials, and within the origin', async () => {
    const sent = playUpstream()
    const seen: (string | null)[] = []
    const transformRequest = async (request: Request) => {
      seen.push(request.headers.get('x-key'))
      const url = new URL(request.url)
      url.searchParams.set('signed', '1')
      return new Request(url, request)
    }
    const options = { headers: { 'x-key': 'k' }, operations: { call: { transformRequest } } }
    await callTool(openServer(fromOpenAPI(document, options)), 'call', { id: 'x', version: '1' })
    expect(seen).toEqual([null])
    expect(sent[0]?.url).toBe('https://api.example/v1/things/x?signed=1')
    expect(sent[0]?.headers.get('x-key')).toBe('k')
    const elsewhere = { transformRequest: () => new Request('https://evil.example/') }
    const other = openServer(fromOpenAPI(document, { operations: { call: elsewhere } }))
    expect(await callTool(other, 'call', { id: 'x', version: '1' })).toMatchObject({
      isError: true,
    })
    expect(sent).toHaveLength(1)
  })

  it('returns another result of a success', async () => {
    playUpstream(Response.json({ items: [{ name: 'a' }, { name: 'b' }] }))
    const transformResponse = ({ status, body }: { status: number; body: unknown }) =>
      `${status}: ${(body as { items: { name: string }[] }).items.map(({ name }) => name).join()}`
    const app = openServer(fromOpenAPI(document, { operations: { call: { transformResponse } } }))
    const { content } = await callTool(app, 'call', { id: 'x', version: '1' })
    expect(content).toEqual([{ type: 'text', text: '200: a,b' }])
  })

  it.each([
    ['an operation that does not exist', { nope: {} }, /no operation "nope"/],
    [
      'a hidden argument that does not exist',
      { call: { hidden: ['x'] } },
      /has no argument "x"; it has id, version, limit, debug/,
    ],
    ['a fixed argument that does not exist', { call: { fixed: { x: 1 } } }, /has no argument "x"/],
    [
      'a hidden argument that is required',
      { call: { hidden: ['version'] } },
      /"version" .*is required: give its value in "fixed"/,
    ],
    ['a name that no tool can have', { call: { name: 'a b' } }, /Tool name "a b"/],
  ])('is refused at start for %s', (_, operations, message) => {
    const refused = () => fromOpenAPI(document, { operations, onUnsupported: 'skip' })
    expect(refused).toThrow(message)
  })

  it('of the name of every tool is a function', () => {
    expect(
      namesOf({ toolName: ({ method, path }) => `${method}${path.replace(/\W/g, '')}` })[0],
    ).toBe('GETpets')
  })
})

describe('the base URL', () => {
  const urlOf = async (document: object, options: OpenAPIOptions<object> = {}, env = {}) => {
    const sent = playUpstream()
    await callTool(openServer(fromOpenAPI(document, options), env), 'call')
    return sent[0]?.url
  }
  const at = (servers: unknown) => describeOperation({}, { servers })

  it.each([
    [
      'the first server',
      at([{ url: 'https://a.example/x/' }, { url: 'https://b.example' }]),
      {},
      'https://a.example/x/things',
    ],
    [
      'the option',
      at([{ url: '/relative' }]),
      { baseUrl: 'http://localhost:3000/v2/' },
      'http://localhost:3000/v2/things',
    ],
    [
      'the option as a function',
      at([]),
      { baseUrl: ({ env }) => `https://${(env as { T: string }).T}.example` },
      'https://acme.example/things',
    ],
    [
      'a server with variables',
      at([
        {
          url: 'https://{region}.example/{v}',
          variables: { region: { default: 'eu', enum: ['eu', 'us'] }, v: { default: '1' } },
        },
      ]),
      { serverVariables: { region: 'us' } },
      'https://us.example/1/things',
    ],
    [
      'the server of the operation',
      describeOperation({ servers: [{ url: 'https://op.example' }] }),
      {},
      'https://op.example/things',
    ],
  ] satisfies [string, object, OpenAPIOptions<object>, string][])(
    'is %s',
    async (_, document, options, url) => {
      expect(await urlOf(document, options, { T: 'acme' })).toBe(url)
    },
  )

  it.each([
    [
      'a relative server',
      at([{ url: '/v1' }]),
      {},
      /is not absolute: set the option baseUrl \(at #\/servers\/0\)/,
    ],
    ['a script', at([{ url: 'javascript:alert(1)' }]), {}, /has the scheme javascript:/],
    ['a file', at([{ url: 'file:///etc/passwd' }]), {}, /has the scheme file:/],
    ['credentials', at([{ url: 'https://me:pw@a.example' }]), {}, /contains credentials/],
    ['a query', at([{ url: 'https://a.example/?key=1' }]), {}, /has a query/],
    ['no servers', at(undefined), {}, /there are no servers: set baseUrl/],
    [
      'a variable without a value',
      at([{ url: 'https://{x}.example' }]),
      {},
      /variable "x" has no default/,
    ],
    [
      'a value that its enum does not have',
      at([{ url: 'https://{x}.example', variables: { x: { default: 'a', enum: ['a'] } } }]),
      { serverVariables: { x: 'evil.example/' } },
      /not one of its enum/,
    ],
    ['a relative option', at([]), { baseUrl: '/v1' }, /baseUrl must be an absolute/],
    [
      'credentials in the option',
      at([]),
      { baseUrl: 'https://me:pw@a.example' },
      /contains credentials: use the option auth/,
    ],
  ])('is refused at start for %s', (_, document, options, message) => {
    expect(() => fromOpenAPI(document, options)).toThrow(message)
    expect(() => fromOpenAPI(document, options)).not.toThrow(/pw/)
  })

  it('of a function that returns another scheme ends the call', async () => {
    const sent = playUpstream()
    const app = openServer(fromOpenAPI(at([]), { baseUrl: () => 'data:text/plain,x' }))
    expect(await callTool(app, 'call')).toMatchObject({ isError: true })
    expect(sent).toEqual([])
  })
})

describe('the option fetch', () => {
  it('sends the requests, for example over a service binding', async () => {
    const spy = vi.spyOn(globalThis, 'fetch')
    const env = { API: { fetch: async (url: string) => Response.json({ url }) } }
    const server = fromOpenAPI<typeof env>(describeOperation({}), {
      fetch: (url, _, ctx) => ctx.env.API.fetch(url),
    })
    const { structuredContent } = await callTool(openServer(server, env), 'call')
    expect(structuredContent).toEqual({ url: 'https://api.example/v1/things' })
    expect(spy).not.toHaveBeenCalled()
  })
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

  it('with 3,000 alternatives is served without them', () => {
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
