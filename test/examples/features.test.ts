/** Tests the single-feature examples: each behaves as its description says. */
import { createExecutionContext } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import binaryResources from '../../examples/binary-resources/worker.ts'
import completion from '../../examples/completion/worker.ts'
import headerRouting from '../../examples/header-routing/worker.ts'
import mountInHono from '../../examples/mount-in-hono/worker.ts'
import openapi from '../../examples/openapi/worker.ts'
import progress from '../../examples/progress/worker.ts'
import rawJsonSchema from '../../examples/raw-json-schema/worker.ts'
import search from '../../examples/search/worker.ts'
import structuredOutput from '../../examples/structured-output/worker.ts'
import visibility from '../../examples/visibility/worker.ts'
import { parseMessages } from '../support/sse-parser.ts'
import { createClient } from './client.ts'

interface Worker {
  fetch(request: Request, env: object, ctx: ExecutionContext): Response | Promise<Response>
}

const clientOf = (worker: Worker, endpoint?: string) =>
  createClient((request) => worker.fetch(request, {}, createExecutionContext()), endpoint)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('progress', () => {
  const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/']

  it('reports progress for every link and then returns the result', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      if (String(input) === urls[2]) throw new TypeError('unreachable')
      return new Response(null, { status: String(input) === urls[1] ? 404 : 204 })
    })
    const { body } = await clientOf(progress).send(
      'tools/call',
      { name: 'check_links', arguments: { urls } },
      { meta: { progressToken: 7 } },
    )
    const messages = parseMessages(body)
    expect(messages.slice(0, -1)).toMatchObject(
      urls.map((message, index) => ({
        method: 'notifications/progress',
        params: { progressToken: 7, progress: index + 1, total: 3, message },
      })),
    )
    expect(messages.at(-1)).toMatchObject({
      result: {
        structuredContent: {
          checked: 3,
          broken: [
            { url: urls[1], why: 'status 404' },
            { url: urls[2], why: 'no response' },
          ],
        },
      },
    })
  })

  it('rejects a URL that is not https without requesting it', async () => {
    const spy = vi.spyOn(globalThis, 'fetch')
    const args = { urls: ['http://a.example/'] }
    expect(await clientOf(progress).refusal('check_links', args)).toMatch(/^Invalid arguments/)
    expect(spy).not.toHaveBeenCalled()
  })
})

describe('structured-output', () => {
  const client = clientOf(structuredOutput)

  it.each([
    [[3, 1, 2], { count: 3, mean: 2, median: 2 }],
    [[1, 2, 3, 10], { count: 4, mean: 4, median: 2.5 }],
    [[5], { count: 1, mean: 5, median: 5 }],
  ])('returns the summary of %j as a structured value and as text', async (numbers, value) => {
    const result = await client.ask('tools/call', { name: 'summarize', arguments: { numbers } })
    expect(result.structuredContent).toEqual(value)
    expect(JSON.parse(result.content[0].text)).toEqual(value)
  })

  it('returns the same structured value with a text written by the handler', async () => {
    const args = { name: 'explain', arguments: { numbers: [1, 2, 3, 10] } }
    expect(await client.ask('tools/call', args)).toMatchObject({
      content: [{ text: 'The mean of 4 numbers is 4; a few high values pull it up.' }],
      structuredContent: { count: 4, mean: 4, median: 2.5 },
    })
  })

  it('returns an error for an empty sample', async () => {
    expect(await client.refusal('summarize', { numbers: [] })).toBe('The sample is empty.')
  })
})

describe('raw-json-schema', () => {
  const client = clientOf(rawJsonSchema)

  it('lists the JSON Schema unchanged', async () => {
    const { tools } = await client.ask('tools/list')
    expect(tools[0].inputSchema.properties.parcel).toMatchObject({
      properties: { destination: { $ref: '#/$defs/country' } },
      if: { properties: { destination: { enum: ['CH', 'NO', 'GB'] } } },
    })
  })

  it('validates arguments against every keyword of the schema', async () => {
    const quote = (changed: object) => ({
      parcel: { weightGrams: 510, destination: 'CH', ...changed },
    })
    expect(await client.refusal('quote_parcel', quote({}))).toMatch(/customsValue/)
    expect(await client.refusal('quote_parcel', quote({ destination: 'fr' }))).toMatch(
      /^Invalid arguments/,
    )
    expect(await client.refusal('quote_parcel', quote({ color: 'red' }))).toMatch(/color/)
    expect(await client.call('quote_parcel', quote({ customsValue: 9 }))).toEqual({
      cents: 860,
      currency: 'EUR',
    })
    expect(await client.call('quote_parcel', quote({ destination: 'FR' }))).toEqual({
      cents: 610,
      currency: 'EUR',
    })
  })
})

describe('search', () => {
  it('lists the pinned operation, and calls another one that it finds', async () => {
    const client = createClient((request) =>
      search.fetch(request, { PARCELS_KEY: 'key-of-the-api' }, createExecutionContext()),
    )
    const { tools } = await client.ask('tools/list')
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'get_parcel',
      'search_tools',
      'call_tool',
      'call_read_tool',
    ])
    const found = await client.ask('tools/call', {
      name: 'search_tools',
      arguments: { query: 'send something to a person' },
    })
    expect(found.structuredContent.tools.map(({ name }: { name: string }) => name)).toContain(
      'send_parcel',
    )
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json([{ id: 'p1' }]))
    const listed = await client.ask('tools/call', {
      name: 'call_read_tool',
      arguments: { name: 'list_parcels' },
    })
    expect(listed.content[0].text).toContain('p1')
  })
})

describe('openapi', () => {
  const client = createClient((request) =>
    openapi.fetch(request, { PARCELS_KEY: 'key-of-the-api' }, createExecutionContext()),
  )

  it('lists one tool for each operation that is not internal', async () => {
    const { tools } = await client.ask('tools/list')
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'list_parcels',
      'send_parcel',
      'get_parcel',
    ])
    expect(tools[2].inputSchema.properties).toEqual({ id: { type: 'string' } })
  })

  it('calls the API with its key, and returns pages and errors as the model needs them', async () => {
    const sent: Request[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      sent.push(request)
      if (request.method === 'POST')
        return Response.json({ message: 'no such country' }, { status: 422 })
      const link = '<https://parcels.example/v1/parcels?state=sent,lost&page=2>; rel="next"'
      return Response.json([{ id: 'p1' }], { headers: { link } })
    })
    const page = await client.ask('tools/call', {
      name: 'list_parcels',
      arguments: { state: ['sent', 'lost'] },
    })
    expect(page.content[1].text).toBe('There is a next page: call again with {"page":2}')
    const parcel = { to: 'XX', grams: 500 }
    expect(await client.refusal('send_parcel', { body: parcel })).toBe(
      'The API answered with status 422.\n{"message":"no such country"}',
    )
    await client.call('get_parcel', { id: 'p/1' })
    expect(sent.map(({ url }) => url)).toEqual([
      'https://parcels.example/v1/parcels?state=sent,lost',
      'https://parcels.example/v1/parcels',
      'https://parcels.example/v1/parcels/p%2F1',
    ])
    expect(sent[0]?.headers.get('x-api-key')).toBe('key-of-the-api')
    expect(sent[2]?.headers.get('api-version')).toBe('2026-01')
  })
})

describe('completion', () => {
  const client = clientOf(completion)
  const complete = async (ref: object, name: string, value: string, language?: string) => {
    const context = language === undefined ? {} : { context: { arguments: { language } } }
    const params = { ref, argument: { name, value }, ...context }
    return (await client.ask('completion/complete', params)).completion.values
  }

  it('completes one argument based on the value of another', async () => {
    const ref = { type: 'ref/prompt', name: 'explain' }
    expect(await complete(ref, 'language', 'S')).toEqual(['sql'])
    expect(await complete(ref, 'topic', '', 'css')).toEqual([
      'grid',
      'flexbox',
      'container queries',
    ])
    expect(await complete(ref, 'topic', 'g', 'typescript')).toEqual(['generics'])
    expect(await complete(ref, 'topic', 'g', 'constructor')).toEqual([])
    expect(await complete(ref, 'topic', 'g')).toEqual([])
  })

  it('completes the variable of a template and reads the completed resource', async () => {
    const ref = { type: 'ref/resource', uri: 'tutor://topics/{language}' }
    expect(await complete(ref, 'language', 'type')).toEqual(['typescript'])
    const { contents } = await client.ask('resources/read', { uri: 'tutor://topics/css' })
    expect(contents[0].text).toBe('grid\nflexbox\ncontainer queries')
    const { body } = await client.send('resources/read', { uri: 'tutor://topics/cobol' })
    expect(body.error.code).toBe(-32602)
  })
})

describe('header-routing', () => {
  const client = clientOf(headerRouting)
  const count = (region: string, header: string) =>
    client.send(
      'tools/call',
      { name: 'count_orders', arguments: { region } },
      { headers: { 'mcp-param-region': header } },
    )

  it('serves a call whose header matches a served region', async () => {
    const { body } = await count('eu', 'eu')
    expect(body.result.structuredContent).toEqual({ region: 'eu', open: 12 })
  })

  it('answers 503 for a region that is not served', async () => {
    expect((await count('us', 'us')).status).toBe(503)
  })

  it('rejects a call whose header differs from the argument', async () => {
    const { status, body } = await count('us', 'eu')
    expect([status, body.error.code]).toEqual([400, -32020])
  })
})

describe('visibility', () => {
  const client = clientOf(visibility)

  it('lists only the public tools for an anonymous caller', async () => {
    const { tools, cacheScope } = await client.ask('tools/list')
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['check_stock'])
    expect(cacheScope).toBe('private')
  })

  it('answers a call of a hidden tool like a call of an unknown tool', async () => {
    const args = { item: 'tea', pieces: 0 }
    const hidden = await client.send('tools/call', { name: 'set_stock', arguments: args })
    const absent = await client.send('tools/call', { name: 'no_stock', arguments: args })
    expect(hidden.body.error.message).toBe('Unknown tool: set_stock')
    expect([hidden.status, hidden.body.error.code]).toEqual([absent.status, absent.body.error.code])
    const stock = { name: 'check_stock', arguments: { item: 'tea' } }
    expect((await client.ask('tools/call', stock)).content[0].text).toBe('tea: 12')
  })
})

describe('mount-in-hono', () => {
  const get = async (path: string) => {
    const request = new Request(`http://localhost:8787${path}`)
    return (await mountInHono.fetch(request, { GREETING: 'Moin' }, createExecutionContext())).text()
  }

  it('serves a website, an API and the MCP endpoint from one Worker', async () => {
    expect(await get('/')).toMatch(/^An ordinary website/)
    expect(await get('/api/greetings/Ann')).toBe('{"text":"Moin, Ann!"}')
    const client = clientOf(mountInHono, 'http://localhost:8787/ai/mcp')
    const greet = { name: 'greet', arguments: { name: 'Ann' } }
    expect((await client.ask('tools/call', greet)).content[0].text).toBe('Hello, Ann!')
  })
})

describe('binary-resources', () => {
  const client = clientOf(binaryResources)
  const bytesOf = (base64: string) => Array.from(atob(base64), (c) => c.charCodeAt(0))

  it('returns the bytes of a resource as base64', async () => {
    const { contents } = await client.ask('resources/read', { uri: 'swatch://color/ff8800' })
    const bytes = bytesOf(contents[0].blob)
    expect(contents[0].mimeType).toBe('image/bmp')
    expect(bytes).toHaveLength(54 + 16 * 16 * 3)
    expect(bytes.slice(0, 2)).toEqual([0x42, 0x4d])
    expect(bytes.slice(26, 30)).toEqual([1, 0, 24, 0])
    expect(bytes.slice(-3)).toEqual([0x00, 0x88, 0xff])
  })

  it('returns the same image from a tool together with a resource link', async () => {
    const args = { name: 'show_color', arguments: { hex: '0000ff' } }
    const { content } = await client.ask('tools/call', args)
    expect(content[0]).toMatchObject({ type: 'image', mimeType: 'image/bmp' })
    expect(bytesOf(content[0].data).slice(-3)).toEqual([0xff, 0x00, 0x00])
    expect(content[1]).toMatchObject({ type: 'resource_link', uri: 'swatch://color/0000ff' })
  })

  it('rejects a resource URI whose color is invalid', async () => {
    const { body } = await client.send('resources/read', { uri: 'swatch://color/red' })
    expect(body.error.code).toBe(-32602)
  })
})
