/** What becomes a tool: names, filters, overrides, servers, and what is refused at start. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fromOpenAPI, type OpenAPIOptions, prepareOpenAPI } from '../src/index.ts'
import { id, pets } from './support/pets.ts'
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

  it('has the same name with any filter', () => {
    expect(namesOf({ include: { methods: ['PUT'] } })).toEqual(['pets_get_2'])
  })

  it('has a name of at most 64 characters', () => {
    const long = `a${'b'.repeat(200)}`
    const { operations } = prepareOpenAPI(describeOperation({ operationId: long }))
    expect(operations[0]?.name).toMatch(/^ab{54}_[0-9a-f]{8}$/)
  })

  it.each([
    ['list_pets', 'List pets'],
    ['listPets', 'List pets'],
    ['GetV2UserAPIKeys', 'Get V2 user API keys'],
    ['post-admin--reindex', 'Post admin reindex'],
    ['été', 'T'],
    ['PETS', 'PETS'],
  ])(
    'without a summary has a title of the words of its name, and its method and path: %s',
    async (operationId, title) => {
      const [tool] = await listTools(openServer(fromOpenAPI(describeOperation({ operationId }))))
      expect(tool).toMatchObject({ title, description: 'GET /things' })
    },
  )

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
      destructiveHint: true,
    })
    expect(put.annotations).toMatchObject({ idempotentHint: true, destructiveHint: true })
    expect(remove).toMatchObject({
      description: 'Deprecated.\n\nDELETE /pets/{id}',
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
      fixed: { version: '2', limit: async ({ env }: { env: object }) => Object.keys(env).length },
    }
    const app = openServer(fromOpenAPI(document, { operations: { call } }), { A: 1, B: 2 })
    const [tool] = await listTools(app)
    expect(tool.inputSchema).toMatchObject({ required: ['id'] })
    expect(Object.keys(tool.inputSchema.properties)).toEqual(['id'])
    await callTool(app, 'call', { id: 'x' })
    expect(sent[0]?.url).toBe('https://api.example/v1/things/x?limit=2')
    expect(sent[0]?.headers.get('version')).toBe('2')
    await callTool(app, 'call', { id: 'x', limit: 9 })
    expect(sent[1]?.url).toBe(sent[0]?.url)
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

  it('renames every tool with toolName(operation)', () => {
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
      'a server with variables that YAML reads as numbers',
      at([
        {
          url: 'https://a.example:{port}/{v}',
          variables: { port: { default: 8443, enum: [8443, '443'] }, v: { default: 2.1 } },
        },
      ]),
      {},
      'https://a.example:8443/2.1/things',
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

describe('a path with a parameter of another framework', () => {
  const warningsOf = (path: string) => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { warnings } = prepareOpenAPI(describeOperation({}, { path }))
    expect(logged.mock.calls).toEqual(warnings.map((text) => [`OpenAPI:\n- ${text}`]))
    return warnings
  }

  it.each([
    ['/users/:id', ':id', '{id}'],
    ['/users/:user_id/posts/:id?x=1', ':user_id, :id', '{user_id}, {id}'],
  ])('is served with a warning at start: %s', (path, sent, meant) => {
    expect(warningsOf(path)).toEqual([
      expect.stringContaining(
        `GET ${path}: the path is sent with ${sent} as it is; if these are parameters, write ${meant} (at #/paths/`,
      ),
    ])
  })

  it.each(['/users/{id}:undelete', '/messages:batchGet', '/users/{id}', '/at/12:30', '/:'])(
    'is not found in %s',
    (path) => {
      expect(warningsOf(path)).toEqual([])
    },
  )
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
