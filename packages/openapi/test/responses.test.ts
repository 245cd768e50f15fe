/** Responses: success, errors, pages, redirects, and hostile ones. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fromOpenAPI, type OpenAPIOptions } from '../src/index.ts'
import { sendRequest } from '../src/request/send-request.ts'
import {
  type Answer,
  callTool,
  describeOperation,
  listTools,
  openServer,
  playUpstream,
} from './support/upstream.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

interface Setting {
  readonly operation?: object
  readonly method?: string
  readonly options?: OpenAPIOptions<object>
}

async function call(
  answer: Answer,
  { operation = {}, method = 'get', options = {} }: Setting = {},
  args = {},
) {
  const sent = playUpstream(answer)
  const app = openServer(fromOpenAPI(describeOperation(operation, { method }), options))
  return { result: await callTool(app, 'call', args), sent }
}

const respond = (body: BodyInit | null, type?: string, init: ResponseInit = {}) => {
  const headers = new Headers(init.headers)
  if (type !== undefined) headers.set('content-type', type)
  const response = new Response(body, { ...init, headers })
  if (type === undefined) response.headers.delete('content-type')
  return response
}

describe('a success', () => {
  it('with a JSON object is structured content and text', async () => {
    const { result } = await call(Response.json({ a: [1, { b: null }] }))
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '{"a":[1,{"b":null}]}' }],
      structuredContent: { a: [1, { b: null }] },
    })
    expect(result.isError).toBeUndefined()
  })

  it.each([
    ['a list', '[1,2]', 'application/json', '[1,2]'],
    ['JSON of a vendor', '{"a":1}', 'application/vnd.api+json; charset=utf-8', '{"a":1}'],
    ['JSON without a type', '{"a":1}', undefined, '{"a":1}'],
    ['text without a type', 'hello', undefined, 'hello'],
    ['text', 'a,b\n1,2', 'text/csv', 'a,b\n1,2'],
    ['XML', '<a/>', 'application/atom+xml', '<a/>'],
    ['a page where JSON was declared', '<html>', 'text/html', '<html>'],
    ['JSON that is none', '{"a":', 'application/json', '{"a":'],
    ['JSON with a repeated key', '{"a":1,"a":2}', 'application/json', '{"a":1,"a":2}'],
    ['a scalar', '42', 'application/json', '42'],
  ])('with %s is text', async (_, body, type, text) => {
    const { result } = await call(respond(body, type))
    expect(result.content).toEqual([{ type: 'text', text }])
  })

  it('keeps the digits of a number above 2^53 in its text', async () => {
    const { result } = await call(respond('{"id": 12345678901234567891}', 'application/json'))
    expect(result.content).toEqual([{ type: 'text', text: '{"id": 12345678901234567891}' }])
  })

  it('with a lone surrogate is well-formed text', async () => {
    const { result } = await call(respond('{"a":"\\ud800"}', 'application/json'))
    expect(result.structuredContent).toEqual({ a: '\ufffd' })
  })

  it('is decoded with its charset, also an unknown one', async () => {
    const latin = new Uint8Array([0xe9])
    const known = await call(respond(latin, 'text/plain; charset="ISO-8859-1"'))
    expect(known.result.content[0].text).toBe('é')
    const unknown = await call(respond('é', 'text/plain; charset=nonsense'))
    expect(unknown.result.content[0].text).toBe('é')
  })

  const bytes = new Uint8Array([0, 255, 1])

  it.each([
    ['image/png', { type: 'image', data: 'AP8B', mimeType: 'image/png' }],
    ['audio/mpeg', { type: 'audio', data: 'AP8B', mimeType: 'audio/mpeg' }],
    [
      'application/pdf',
      {
        type: 'resource',
        resource: {
          uri: 'https://api.example/v1/things',
          mimeType: 'application/pdf',
          blob: 'AP8B',
        },
      },
    ],
  ])('with the type %s is a content block', async (type, block) => {
    const { result } = await call(respond(bytes, type))
    expect(result.content).toEqual([block])
  })

  it('with bytes of no type is a file', async () => {
    const { result } = await call(respond(bytes))
    expect(result.content[0].resource.mimeType).toBe('application/octet-stream')
  })

  it('without a body says so, with its Location', async () => {
    const none = await call(new Response(null, { status: 204 }), { method: 'delete' })
    expect(none.result.content[0].text).toBe('The API answered with status 204 and no body.')
    const created = new Response(null, { status: 201, headers: { location: '/v1/things/7' } })
    const { result } = await call(created, { method: 'post' })
    expect(result.content[0].text).toBe(
      'The API answered with status 201 and no body. Location: /v1/things/7',
    )
  })
})

describe('an error of the API', () => {
  it('is an error of the tool with status and body', async () => {
    const answer = Response.json({ message: 'limit must be at most 100' }, { status: 422 })
    const { result } = await call(answer)
    expect(result).toMatchObject({
      isError: true,
      content: [
        {
          text: 'The API answered with status 422.\n{"message":"limit must be at most 100"}',
        },
      ],
    })
  })

  it('quotes at most 4,000 characters of the body, and Retry-After', async () => {
    const { result } = await call(
      respond('x'.repeat(100_000), 'text/html', { status: 503, headers: { 'retry-after': '30' } }),
    )
    expect(result.content[0].text).toMatch(
      /^The API answered with status 503\.\nRetry after: 30\nx+…$/,
    )
    expect(result.content[0].text.length).toBeLessThan(4_100)
  })

  it('without a text has its status', async () => {
    const { result } = await call(respond(new Uint8Array([1]), 'image/png', { status: 500 }))
    expect(result.content).toEqual([{ type: 'text', text: 'The API answered with status 500.' }])
  })

  it('that cannot be reached says that the request may have run', async () => {
    const unreachable = () => Promise.reject(new TypeError('network'))
    expect((await call(unreachable)).result.content[0].text).toBe('The API cannot be reached.')
    expect((await call(unreachable, { method: 'post' })).result.content[0].text).toBe(
      'The API cannot be reached. It may have carried out the request.',
    )
  })
})

describe('an output schema', () => {
  const thing = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      at: { type: 'string', format: 'date-time' },
      secret: { type: 'string', writeOnly: true },
    },
    required: ['id', 'secret'],
    additionalProperties: false,
  }
  const responses = (schema: object, more: object = {}) => ({
    operation: {
      responses: { 200: { description: '', content: { 'application/json': { schema } } }, ...more },
    },
    options: { outputSchemas: 'declared' as const },
  })
  const listed = async ({
    operation,
    options,
  }: {
    operation: object
    options: OpenAPIOptions<object>
  }) => {
    const [tool] = await listTools(openServer(fromOpenAPI(describeOperation(operation), options)))
    return tool.outputSchema
  }

  it('is not listed by default', async () => {
    expect(await listed({ ...responses(thing), options: {} })).toBeUndefined()
  })

  it('is that of the one success, without what a response may differ in', async () => {
    expect(await listed(responses(thing, { 404: { description: '' } }))).toEqual({
      type: 'object',
      properties: { id: { type: 'integer' }, at: { type: 'string' } },
      required: ['id'],
    })
  })

  it.each([
    ['a list', responses({ type: 'array' })],
    ['several successes', responses(thing, { 202: { description: '' } })],
    ['a member named structuredContent', responses({ properties: { structuredContent: {} } })],
    [
      'a success without JSON',
      { ...responses(thing), operation: { responses: { 200: { content: { 'text/plain': {} } } } } },
    ],
  ])('is not listed for %s', async (_, setting) => {
    expect(await listed(setting)).toBeUndefined()
  })

  it('accepts a response with more members', async () => {
    const { result } = await call(
      Response.json({ id: 1, extra: true, at: 'yesterday' }),
      responses(thing),
    )
    expect(result.structuredContent).toEqual({ id: 1, extra: true, at: 'yesterday' })
    expect(result.isError).toBeUndefined()
  })

  it.each([
    [
      'another type of a member',
      Response.json({ id: 'one' }),
      /status 200\. Its body does not match.*\nid: must be integer, not string\n\{"id":"one"\}$/s,
    ],
    ['a list', Response.json([]), /must be object, not array/],
    ['text', new Response('hello'), /\nhello$/],
    ['no body', new Response(null, { status: 204 }), /status 204 and no body/],
    ['bytes', respond('%PDF-1.7', 'application/pdf'), /:$/],
  ])(
    'does not break a call that answers %s: the result says that it was carried out',
    async (_, answer, text) => {
      const { result } = await call(answer, responses(thing))
      expect(result.isError).toBe(true)
      expect(result.content[0].text).toMatch(
        /^The API answered with status 20[04]\. Its body does not match its description, so do not repeat the call:/,
      )
      expect(result.content[0].text).toMatch(text)
    },
  )
})

describe('a next page', () => {
  const operation = {
    parameters: [
      { name: 'page', in: 'query', schema: { type: 'integer' } },
      { name: 'q', in: 'query', schema: {} },
    ],
  }
  const next = (link: string) => Response.json([1], { headers: { link } })

  it.each([
    '<https://api.example/v1/things?q=a&page=3>; rel="next", <https://api.example/v1/things?page=9>; rel="last"',
    '<https://api.example/v1/things?page=1>; rel="prev", </v1/things?q=a&page=3&other=1>; title="a"; rel=next',
  ])('in the header %s is returned as arguments', async (link) => {
    const { result } = await call(next(link), { operation }, { page: 2, q: 'a' })
    expect(result._meta['edgeway/next-page']).toEqual({ page: 3 })
    expect(result.content[1].text).toBe('There is a next page: call again with {"page":3}')
  })

  it('has only arguments that the tool accepts', async () => {
    const schemas = {
      page: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      size: { type: ['integer', 'null'] },
      start: { allOf: [{ $ref: '#/components/schemas/Start' }] },
      all: { type: 'boolean' },
      old: { type: ['boolean', 'null'] },
      cursor: { type: ['string', 'null'] },
      draft: { type: 'boolean' },
      ids: { type: 'array', items: { type: 'integer' } },
      where: { anyOf: [{ type: 'object' }, { type: 'null' }] },
      since: { type: 'integer' },
    }
    const parameters = Object.entries(schemas).map(([name, schema]) => ({
      name,
      in: 'query',
      schema,
    }))
    const document = describeOperation(
      { parameters },
      { components: { schemas: { Start: { type: 'integer' } } } },
    )
    const query =
      'page=2&size=10&start=4&all=true&old=false&cursor=5&draft=yes&ids=1&where=x&since=9007199254740993'
    playUpstream(next(`</v1/things?${query}>; rel=next`))
    const app = openServer(fromOpenAPI(document))
    const { _meta } = await callTool(app, 'call')
    const args = _meta['edgeway/next-page']
    expect(args).toEqual({ page: 2, size: 10, start: 4, all: true, old: false, cursor: '5' })
    expect((await callTool(app, 'call', args)).isError).toBeUndefined()
  })

  it('has no argument that the tool does not have', async () => {
    const options = { operations: { call: { hidden: ['page'], fixed: { q: 'b' } } } }
    const { result } = await call(next('</v1/things?page=3&q=c>; rel=next'), { operation, options })
    expect(result._meta?.['edgeway/next-page']).toBeUndefined()
  })

  it.each([
    '<https://other.example/v1/things?page=3>; rel="next"',
    '<https://api.example/v1/things?page=9>; rel="last"',
    '<https://api.example/v1/things?page=2>; rel="next"',
    '<https://api.example/v1/things?cursor=3>; rel="next"',
    '<https://api.example/?page=3; rel="next"',
    '<https://api.example/v1/things?page=last>; rel="next"',
    '<<<>>><<',
  ])('is not found in the header %s', async (link) => {
    const { result } = await call(next(link), { operation }, { page: 2 })
    expect(result._meta?.['edgeway/next-page']).toBeUndefined()
    expect(result.content).toHaveLength(1)
  })
})

describe('a cancelled call', () => {
  it('aborts its request, and is not reported as a failure of the API', async () => {
    const cancel = new AbortController()
    const aborted: unknown[] = []
    const send = (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          aborted.push(signal.reason)
          reject(signal.reason as Error)
        })
      })
    const request = {
      method: 'GET' as const,
      url: 'https://api.example/',
      headers: new Headers(),
      body: undefined,
    }
    const bounds = { timeoutMs: 60_000, maxBytes: 1_000 }
    const answer = sendRequest(request, { ...bounds, send, signal: cancel.signal })
    cancel.abort(new Error('cancelled by the client'))
    await expect(answer).rejects.toThrow('cancelled by the client')
    expect(aborted).toHaveLength(1)
  })
})

describe('a redirect', () => {
  const options = { headers: { 'x-key': 'key-0123456789' } }
  const redirect =
    (location: string, status = 302) =>
    (request: Request) =>
      request.url.endsWith('/things')
        ? new Response(null, { status, headers: { location } })
        : Response.json({ at: request.url })

  it('within the origin is followed with credentials', async () => {
    const { sent, result } = await call(redirect('/v2/other'), { options })
    expect(result.structuredContent).toEqual({ at: 'https://api.example/v2/other' })
    expect(sent[1]?.headers.get('x-key')).toBe('key-0123456789')
  })

  it.each([
    'https://other.example/x',
    'http://api.example/x',
    'https://api.example:8443/x',
    '//169.254.169.254/latest',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ])('to %s is not followed, and the result names it', async (location) => {
    const { sent, result } = await call(redirect(location), { options })
    expect(sent).toHaveLength(1)
    expect(result.content[0].text).toBe(
      `The API answered with status 302: the result is at ${location}`,
    )
  })

  it('to a long URL is quoted up to 2,000 characters', async () => {
    const { result } = await call(redirect(`https://other.example/${'a'.repeat(9_000)}`), {
      options,
    })
    expect(result.content[0].text).toMatch(/ https:\/\/other\.example\/a+…$/)
    expect(result.content[0].text.length).toBeLessThan(2_100)
  })

  it.each([
    [307, 'POST', '{"a":1}'],
    [303, 'GET', ''],
  ])('with status %s repeats a POST as %s', async (status, method, body) => {
    const operation = { requestBody: { content: { 'application/json': {} } } }
    const answer = redirect('/v1/next', status)
    const { sent } = await call(answer, { method: 'post', operation }, { body: { a: 1 } })
    expect(sent[1]).toMatchObject({ method, body })
  })

  it('that leads to itself is requested four times', async () => {
    const { sent } = await call(
      new Response(null, { status: 302, headers: { location: '/v1/things' } }),
    )
    expect(sent).toHaveLength(4)
  })
})

describe('a hostile API', () => {
  it('that sends an endless body is read up to the limit', async () => {
    let chunks = 0
    let cancelled = false
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            chunks++
            controller.enqueue(new Uint8Array(1024).fill(0x20))
          },
          cancel: () => {
            cancelled = true
          },
        }),
        { headers: { 'content-type': 'application/json' } },
      )
    const { result } = await call(endless, { options: { maxResponseBytes: 10_000 } })
    expect(result).toMatchObject({ isError: true })
    expect(result.content[0].text).toMatch(/body is larger than 10000 bytes/)
    expect(chunks).toBeLessThan(100)
    expect(cancelled).toBe(true)
  })

  it.each([
    ['a response', () => new Promise<Response>(() => undefined)],
    [
      'a body',
      () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) })),
    ],
  ])('that never sends %s is left after the timeout', async (_, answer) => {
    const { result } = await call(answer, { options: { timeoutMs: 50 }, method: 'put' })
    expect(result.content[0].text).toBe(
      'The API did not answer within 50 ms. It may have carried out the request.',
    )
  })

  it('that never answers is left after the timeout of an override', async () => {
    const never = () => new Promise<Response>(() => undefined)
    const options = { operations: { call: { timeoutMs: 40 } } }
    const started = Date.now()
    const { result } = await call(never, { options })
    expect(result.isError).toBe(true)
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  it('that sends deep JSON is returned as text', async () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const { result } = await call(respond(deep, 'application/json'))
    expect(result.content[0].text).toBe(deep)
    expect(result.structuredContent).toBeUndefined()
  })

  it('that sends names of prototypes changes nothing', async () => {
    const { result } = await call(
      respond('{"__proto__":{"polluted":1},"constructor":2}', 'application/json'),
    )
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect(result.content[0].text).toBe('{"__proto__":{"polluted":1},"constructor":2}')
  })

  it('that sends a content type with line breaks or none of a known form is read', async () => {
    const { result } = await call(respond('x', ';;;==,,'))
    expect(result.content[0].text).toBe('x')
  })
})
