/** Credentials: where they come from, where they are sent, and that they are shown nowhere. */

import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Context } from '../../../src/index.ts'
import { createFullEdgeway } from '../../../test/support/full-app.ts'
import { FullServer } from '../../../test/support/full-server.ts'
import { openApp, openFactoryApp } from '../../../test/support/test-app.ts'
import { fromOpenAPI, type OpenAPIOptions, prepareOpenAPI } from '../src/index.ts'
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

const KEY = 'sk-secret-0123456789'

const SCHEMES = {
  header: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  basic: { type: 'http', scheme: 'Basic' },
  bearer: { type: 'http', scheme: 'bearer' },
  oauth: { type: 'oauth2', flows: {} },
  oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
  mtls: { type: 'mutualTLS' },
}

const secured = (security: unknown, operation: object = {}) =>
  describeOperation({ security, ...operation }, { components: { securitySchemes: SCHEMES } })

type Options = OpenAPIOptions<object>

const serve = (security: unknown, options: Options, env = {}) =>
  openServer(fromOpenAPI(secured(security), options), env)

describe('a security scheme', () => {
  it.each([
    ['header', KEY, 'x-api-key', KEY],
    ['cookie', KEY, 'cookie', `session=${KEY}`],
    ['basic', { username: 'me', password: 'pass:word' }, 'authorization', 'Basic bWU6cGFzczp3b3Jk'],
    ['basic', 'me:pass', 'authorization', 'Basic bWU6cGFzcw=='],
    ['bearer', KEY, 'authorization', `Bearer ${KEY}`],
    ['oauth', KEY, 'authorization', `Bearer ${KEY}`],
    ['oidc', KEY, 'authorization', `Bearer ${KEY}`],
  ])('%s is sent with the credential %j', async (name, credential, field, value) => {
    const sent = playUpstream()
    await callTool(serve([{ [name]: [] }], { auth: () => credential }), 'call')
    expect(sent[0]?.headers.get(field)).toBe(value)
  })

  it('in the query is sent at its end', async () => {
    const sent = playUpstream()
    await callTool(serve([{ query: [] }], { auth: () => 'a&b' }), 'call')
    expect(sent[0]?.url).toBe('https://api.example/v1/things?api_key=a%26b')
  })

  it('mutualTLS needs no credential from here', async () => {
    const sent = playUpstream()
    await callTool(serve([{ mtls: [] }], { auth: () => undefined }), 'call')
    expect(sent).toHaveLength(1)
  })
})

describe('the option auth', () => {
  it('reads a secret of the environment', async () => {
    const sent = playUpstream()
    await callTool(serve([{ header: [] }], { auth: { secret: 'KEY' } }, { KEY }), 'call')
    expect(sent[0]?.headers.get('x-api-key')).toBe(KEY)
  })

  it('has a source for each scheme, and takes the first requirement with all credentials', async () => {
    const sent = playUpstream()
    const auth = { oauth: () => undefined, header: { secret: 'KEY' }, cookie: () => 'crumb' }
    await callTool(serve([{ oauth: [] }, { header: [], cookie: [] }], { auth }, { KEY }), 'call')
    expect(sent[0]?.headers.get('authorization')).toBeNull()
    expect(sent[0]?.headers.get('x-api-key')).toBe(KEY)
    expect(sent[0]?.headers.get('cookie')).toBe('session=crumb')
  })

  it('receives the context of the call and the scheme', async () => {
    playUpstream()
    const seen: unknown[] = []
    const auth = (ctx: Context<object>, scheme: object) => {
      seen.push(ctx.env, scheme)
      return KEY
    }
    await callTool(serve([{ header: [] }], { auth }, { A: 1 }), 'call')
    expect(seen).toEqual([
      { A: 1 },
      { name: 'header', type: 'apiKey', in: 'header', parameter: 'X-Api-Key' },
    ])
  })

  it('sends nothing where an operation has no requirement, or an empty one is left', async () => {
    const sent = playUpstream()
    for (const security of [[], [{}], [{ header: [] }, {}]]) {
      await callTool(
        serve(security, { auth: (_, { type }) => (type === 'http' ? KEY : undefined) }),
        'call',
      )
    }
    expect(sent.map(({ headers }) => headers.get('x-api-key'))).toEqual([null, null, null])
  })

  it('prefers credentials to an empty requirement that is written first', async () => {
    const sent = playUpstream()
    await callTool(serve([{}, { header: [] }], { auth: () => KEY }), 'call')
    expect(sent[0]?.headers.get('x-api-key')).toBe(KEY)
  })

  it('refuses a call without the credentials that its operation requires', async () => {
    const sent = playUpstream()
    const app = serve([{ header: [], bearer: [] }, { basic: [] }], { auth: () => undefined })
    expect(await callTool(app, 'call')).toEqual(
      expect.objectContaining({
        isError: true,
        content: [
          {
            type: 'text',
            text: 'There are no credentials for this API: it needs header and bearer or basic.',
          },
        ],
      }),
    )
    expect(sent).toEqual([])
  })

  it.each([
    [
      'a key in the code',
      { header: KEY } as unknown as Options['auth'],
      /so that no key is in the code/,
    ],
    ['an unknown scheme', { nope: () => KEY }, /no security scheme "nope"; it has header, query/],
    ['a text', KEY as unknown as Options['auth'], /auth must be a function/],
  ])('refuses %s at start', (_, auth, message) => {
    expect(() => fromOpenAPI(secured([]), { auth: auth ?? {} })).toThrow(message)
  })
})

describe('the option headers', () => {
  it('adds headers to every request, from values or from a function', async () => {
    const sent = playUpstream()
    const fixed = { headers: { 'x-version': '2', accept: 'text/plain' } }
    await callTool(serve([], fixed), 'call')
    await callTool(
      serve([], { headers: ({ env }) => ({ 'x-key': String('K' in env && env.K) }) }, { K: KEY }),
      'call',
    )
    expect(sent[0]?.headers.get('x-version')).toBe('2')
    expect(sent[0]?.headers.get('accept')).toBe('text/plain')
    expect(sent[1]?.headers.get('x-key')).toBe(KEY)
  })
})

describe('one server for each caller', () => {
  it('has the caller’s key, and shares everything else', async () => {
    const sent = playUpstream()
    const api = prepareOpenAPI<object>(secured([{ bearer: [] }]), { auth: () => 'common-key' })
    const app = openFactoryApp(({ params }) => api.server({ auth: () => `key-of-${params.who}` }), {
      info: { name: 'things', version: '1.0.0' },
      path: '/mcp/{who}',
    })
    await Promise.all(
      ['ada', 'ben', 'ada', 'cleo'].map((who) => callTool(app.at(`/mcp/${who}`), 'call')),
    )
    expect(sent.map(({ headers }) => headers.get('authorization')).sort()).toEqual([
      'Bearer key-of-ada',
      'Bearer key-of-ada',
      'Bearer key-of-ben',
      'Bearer key-of-cleo',
    ])
    await callTool(openServer(api.server()), 'call')
    expect(sent.at(-1)?.headers.get('authorization')).toBe('Bearer common-key')
  })

  it('may have its own base URL, where the description has none', async () => {
    const sent = playUpstream()
    const { servers: _, ...document } = describeOperation({}) as Record<string, unknown>
    const api = prepareOpenAPI(document)
    expect(() => api.server()).toThrow('there are no servers: set baseUrl (at #/servers)')
    await callTool(openServer(api.server({ baseUrl: 'https://tenant.example/' })), 'call')
    expect(sent[0]?.url).toBe('https://tenant.example/things')
  })

  it('can be included in another server with a prefix', async () => {
    const sent = playUpstream()
    const api = prepareOpenAPI<object>(secured([{ bearer: [] }]))
    const server = new FullServer<object>({ name: 'all', version: '1.0.0' })
    server.include(api.server({ auth: () => 'own-key' }), { prefix: 'things.' })
    const app = openApp(server, {}, {})
    expect((await listTools(app)).map(({ name }) => name)).toEqual(['things.call'])
    await callTool(app, 'things.call')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer own-key')
    expect(typeof createFullEdgeway).toBe('function')
  })
})

describe('scopes', () => {
  const document = secured([{ header: [] }, { oauth: ['things:read', 'a b'] }])
  const scopesOf = (options: Options) => {
    const definitions = prepareOpenAPI(document, options)
    return definitions.operations[0]?.scopes
  }

  it('of the API are reported, without those that are no scope tokens', () => {
    expect(scopesOf({})).toEqual(['things:read'])
  })

  it.each([
    ['none', false],
    ['declared', true],
    [() => ['mine'], true],
  ])('are required of callers with %s: %s', async (scopes, isRefused) => {
    const sent = playUpstream()
    const app = openServer(fromOpenAPI(document, { scopes: scopes as Options['scopes'] & {} }))
    await callTool(app, 'call')
    expect(sent.length === 0).toBe(isRefused)
  })
})

describe('a credential', () => {
  const everywhere = (request: Request) => ({
    url: request.url,
    headers: Object.fromEntries(request.headers),
  })

  it.each(['header', 'query', 'cookie', 'bearer', 'oauth'])(
    'of scheme %s is not in a result that repeats the request',
    async (name) => {
      const answers = [
        (request: Request) => Response.json(everywhere(request)),
        (request: Request) => new Response(JSON.stringify(everywhere(request))),
        (request: Request) => Response.json(everywhere(request), { status: 401 }),
        (request: Request) =>
          new Response(null, { status: 201, headers: { location: `${request.url}#${KEY}` } }),
        (request: Request) =>
          new Response(null, {
            status: 302,
            headers: { location: `https://other.example/?${JSON.stringify(everywhere(request))}` },
          }),
        (request: Request) =>
          Response.json([], { headers: { link: `<${request.url}&page=2>; rel="next"` } }),
        (): Response => {
          throw new TypeError(`cannot reach ${KEY}`)
        },
      ]
      for (const answer of answers) {
        playUpstream(answer)
        const app = serve([{ [name]: [] }], { auth: () => KEY })
        const result = await callTool(app, 'call')
        expect(JSON.stringify(result)).not.toContain(KEY)
        expect(JSON.stringify(app.events)).not.toContain(KEY)
      }
    },
  )

  it('of basic authentication is hidden in each of its forms', async () => {
    playUpstream((request) => Response.json({ ...everywhere(request), password: 'hid"den99' }))
    const app = serve([{ basic: [] }], { auth: () => ({ username: 'me', password: 'hid"den99' }) })
    const text = JSON.stringify(await callTool(app, 'call'))
    expect(text).not.toContain('den99')
    expect(text).not.toContain('bWU6')
  })

  it.each([
    ['a slash that JSON escapes', '{"a":"sk\\/live+a&b!c*d"}'],
    ['an ampersand that JSON escapes', '{"a":"sk/live+a\\u0026b!c*d"}'],
    ['an ampersand that HTML escapes', '<p>sk/live+a&amp;b!c*d</p>'],
    ['the octets of a query', 'GET /?api_key=sk%2Flive%2Ba%26b%21c%2Ad'],
    ['octets in lower case', 'GET /?api_key=sk%2flive%2ba%26b!c*d'],
  ])('is hidden in a text with %s', async (_, body) => {
    for (const status of [200, 403]) {
      for (const type of ['application/json', 'text/html']) {
        playUpstream(new Response(body, { status, headers: { 'content-type': type } }))
        const app = serve([{ query: [] }], { auth: () => 'sk/live+a&b!c*d' })
        const text = JSON.stringify(await callTool(app, 'call'))
        expect(text).toContain('[redacted]')
        expect(text).not.toMatch(/live/)
      }
    }
  })

  it('that a header cannot carry is not in the error or in telemetry', async () => {
    const app = serve([{ bearer: [] }], { auth: () => `${KEY}\nx: y` })
    const { content } = await callTool(app, 'call')
    expect(content[0].text).toMatch(/failed \(reference/)
    const [event] = app.events.filter(({ type }) => type === 'handler-error')
    expect(String((event as { error?: unknown }).error)).toBe(
      'TypeError: The value of the header "authorization" cannot be sent',
    )
  })

  it('with a line break at its end is sent and hidden without it', async () => {
    playUpstream((request) => Response.json(everywhere(request)))
    const app = serve([{ header: [] }], { auth: { secret: 'KEY' } }, { KEY: `${KEY}\n` })
    const { structuredContent } = await callTool(app, 'call')
    expect(structuredContent.headers['x-api-key']).toBe('[redacted]')
  })

  it('that is missing in the environment is named in telemetry alone', async () => {
    const app = serve([{ bearer: [] }], { auth: { secret: 'API_KEY' } })
    const { content } = await callTool(app, 'call')
    expect(content[0].text).not.toContain('API_KEY')
    expect(
      JSON.stringify(app.events.map((event) => ('error' in event ? String(event.error) : ''))),
    ).toContain('The secret API_KEY is not set')
  })

  it('is not an argument of a tool', async () => {
    const parameters = [
      { name: 'X-API-KEY', in: 'header', schema: { type: 'string' } },
      { name: 'api_key', in: 'query', schema: { type: 'string' } },
      { name: 'session', in: 'cookie', schema: { type: 'string' } },
      { name: 'Authorization', in: 'header', schema: { type: 'string' } },
    ]
    const [tool] = await listTools(openServer(fromOpenAPI(secured([], { parameters }))))
    expect(tool.inputSchema).toEqual({ type: 'object', properties: {} })
  })
})
