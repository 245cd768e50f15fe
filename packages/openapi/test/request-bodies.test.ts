/** Request bodies: the media type that is chosen, and what is sent. */
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

const serve = (content: object, more: object = {}, version = '3.1.0') =>
  openServer(
    fromOpenAPI(
      describeOperation(
        { requestBody: { content, ...more } },
        { method: 'post', openapi: version },
      ),
    ),
  )

const object = { type: 'object', properties: { a: { type: 'string' } } }

describe('the media type of a request', () => {
  it.each([
    [['text/plain', 'application/json'], 'application/json'],
    [['application/xml', 'application/vnd.api+json'], 'application/vnd.api+json'],
    [
      ['multipart/form-data', 'application/x-www-form-urlencoded'],
      'application/x-www-form-urlencoded',
    ],
    [['application/pdf', 'text/csv'], 'text/csv'],
    [['*/*'], 'application/json'],
    [['application/json; charset=utf-8'], 'application/json; charset=utf-8'],
    [
      ['application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'],
      'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"',
    ],
  ])('of %j is %s', async (types, chosen) => {
    const sent = playUpstream()
    const content = Object.fromEntries(types.map((type) => [type, { schema: {} }]))
    const app = serve(content)
    await callTool(app, 'call', { body: chosen.startsWith('text') ? 'x' : { a: 'x' } })
    expect(sent[0]?.headers.get('content-type')).toBe(chosen)
  })

  it('can be chosen by an override', async () => {
    const sent = playUpstream()
    const content = { 'application/json': { schema: object }, 'text/plain': {} }
    const document = describeOperation({ requestBody: { content } }, { method: 'post' })
    const server = fromOpenAPI(document, {
      operations: { call: { requestMediaType: 'text/plain' } },
    })
    await callTool(openServer(server), 'call', { body: 'hello' })
    expect(sent[0]).toMatchObject({ body: 'hello' })
  })

  it('is not a field that could end a header', () => {
    const content = { 'text/plain\r\nx-admin: 1': { schema: {} } }
    expect(() => serve(content)).toThrow('the request body has no media type that can be sent')
  })
})

describe('a JSON body', () => {
  it('is sent as the argument, with any names of members', async () => {
    const sent = playUpstream()
    const app = serve({ 'application/json': { schema: { type: 'object' } } }, { required: true })
    const body = JSON.parse('{"a":[1,null,{"__proto__":{"x":1}}],"constructor":"y"}')
    await callTool(app, 'call', { body })
    expect(sent[0]?.body).toBe(JSON.stringify(body))
  })

  it('may be absent, null, an array or a number where its schema allows it', async () => {
    const sent = playUpstream()
    const app = serve({ 'application/json': { schema: {} } })
    for (const args of [{}, { body: null }, { body: [1] }, { body: 0 }]) {
      await callTool(app, 'call', args)
    }
    expect(sent.map(({ body }) => body)).toEqual(['', 'null', '[1]', '0'])
    expect(sent[0]?.headers.get('content-type')).toBeNull()
  })
})

describe('a URL-encoded body', () => {
  const properties = {
    name: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    meta: { type: 'object' },
    filter: { type: 'object' },
    ids: { type: 'array', items: { type: 'integer' } },
    rows: { type: 'array', items: { type: 'object' } },
    range: { type: 'object' },
  }
  const encoding = {
    filter: { style: 'deepObject', explode: true },
    ids: { style: 'form', explode: false },
    rows: { contentType: 'application/json' },
    range: { allowReserved: true },
  }

  it('has the styles of its encoding; other objects are JSON', async () => {
    const sent = playUpstream()
    const type = 'application/x-www-form-urlencoded'
    const app = serve({ [type]: { schema: { type: 'object', properties }, encoding } })
    const body = {
      name: 'a b&c',
      tags: ['x', 'y'],
      meta: { k: 1 },
      filter: { s: 'o' },
      ids: [1, 2],
      rows: [{ a: 1 }],
      range: { from: '/a' },
    }
    await callTool(app, 'call', { body })
    expect(sent[0]?.body).toBe(
      'name=a+b%26c&tags=x&tags=y&meta=%7B%22k%22%3A1%7D&filter%5Bs%5D=o&ids=1,2&rows=%5B%7B%22a%22%3A1%7D%5D&from=/a',
    )
  })
})

describe('a multipart body', () => {
  const file = { type: 'string', format: 'binary', description: 'The photo.' }
  const schemas = {
    '3.0.3': file,
    '3.1.0': { contentMediaType: 'image/png', description: 'The photo.' },
  }
  const content = (photo: object) => ({
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: {
          id: { type: 'integer', readOnly: true },
          title: { type: 'string' },
          meta: { type: 'object' },
          tags: { type: 'array', items: { type: 'string' } },
          photo,
          more: { type: 'array', items: file },
        },
        required: ['id', 'photo'],
      },
      encoding: { photo: { contentType: 'image/png, image/jpeg' } },
    },
  })

  it.each(Object.entries(schemas))(
    'of version %s takes files as base64 with a name',
    async (version, photo) => {
      const form: FormData[] = []
      playUpstream(async (request) => {
        form.push(await request.formData())
        return Response.json({})
      })
      const app = serve(content(photo), {}, version)
      const [tool] = await listTools(app)
      expect(tool.inputSchema.properties.body).toMatchObject({
        properties: { photo: { description: 'The photo.', required: ['data'] } },
        required: ['photo'],
      })
      const body = {
        title: 'Été',
        meta: { a: 1 },
        tags: ['x', 'y'],
        photo: { data: 'AQID', filename: 'p.png' },
        more: [{ data: 'BA==' }],
      }
      await callTool(app, 'call', { body })
      const [sent] = form
      expect(sent?.get('title')).toBe('Été')
      expect(sent?.getAll('tags')).toEqual(['x', 'y'])
      const [photoPart, more] = ['photo', 'more'].map((name) => sent?.get(name)) as File[]
      expect([photoPart?.name, photoPart?.type]).toEqual(['p.png', 'image/png'])
      expect(new Uint8Array((await photoPart?.arrayBuffer()) ?? [])).toEqual(
        new Uint8Array([1, 2, 3]),
      )
      expect(sent?.get('meta')).toBe('{"a":1}')
      expect(more?.type).toBe('application/octet-stream')
    },
  )

  const nullable = { anyOf: [{ type: 'string', format: 'binary' }, { type: 'null' }] }
  it.each([
    ['an alternative to null', '3.1.0', nullable],
    ['of two types', '3.1.0', { type: ['string', 'null'], format: 'binary' }],
    ['a composition of one reference', '3.1.0', { allOf: [{ $ref: '#/components/schemas/File' }] }],
    [
      'a nullable composition',
      '3.0.3',
      { allOf: [{ $ref: '#/components/schemas/File' }], nullable: true },
    ],
    ['a nullable text', '3.0.3', { ...file, nullable: true }],
  ])('takes a file whose schema is %s in %s', async (_, openapi, photo) => {
    const sent = playUpstream()
    const schema = { type: 'object', properties: { photo } }
    const document = describeOperation(
      { requestBody: { content: { 'multipart/form-data': { schema } } } },
      { method: 'post', openapi, components: { schemas: { File: file } } },
    )
    const app = openServer(fromOpenAPI(document))
    await callTool(app, 'call', { body: { photo: { data: 'aGVsbG8=', filename: 'a.txt' } } })
    expect(sent[0]?.body).toContain('name="photo"; filename="a.txt"')
    expect(sent[0]?.body).toContain('\r\n\r\nhello\r\n')
  })

  it('sends JSON as a part with its type and without a file name, which servers take for a file', async () => {
    const sent = playUpstream()
    const json = { contentType: 'application/json' }
    const properties = {
      meta: { type: 'object' },
      list: { type: 'array', items: { type: 'object' } },
      text: { type: 'string', contentMediaType: 'application/json' },
      title: { type: 'string' },
    }
    const media = { schema: { type: 'object', properties }, encoding: { list: json, text: json } }
    const body = { meta: { a: 'é' }, list: [{ b: 1 }, { c: 2 }], text: '{"d":3}', title: 'é"' }
    const result = await callTool(serve({ 'multipart/form-data': media }), 'call', { body })
    expect(result.isError).toBeUndefined()
    const [boundary] = sent[0]?.body.split('\r\n') ?? []
    expect(sent[0]?.headers.get('content-type')).toBe(
      `multipart/form-data; boundary=${boundary?.slice(2)}`,
    )
    const part = (name: string, value: string, type = '\r\nContent-Type: application/json') =>
      `${boundary}\r\nContent-Disposition: form-data; name="${name}"${type}\r\n\r\n${value}\r\n`
    expect(sent[0]?.body).toBe(
      [
        part('meta', '{"a":"é"}'),
        part('list', '[{"b":1},{"c":2}]'),
        part('text', '{"d":3}'),
        part('title', 'é"', ''),
        `${boundary}--\r\n`,
      ].join(''),
    )
  })

  it('has no part for a nullable file that is null', async () => {
    const sent = playUpstream()
    await callTool(serve(content(nullable)), 'call', { body: { title: 'a', photo: null } })
    expect(sent[0]?.body).toContain('name="title"')
    expect(sent[0]?.body).not.toContain('photo')
  })

  it('takes files and lists of files of the parts of its allOf, also where a part contains itself', async () => {
    const sent = playUpstream()
    const Base = {
      type: 'object',
      properties: {
        id: { type: 'integer', readOnly: true },
        photo: file,
        more: { anyOf: [{ type: 'array', items: file }, { type: 'null' }] },
      },
      required: ['id', 'photo'],
      allOf: [{ $ref: '#/components/schemas/Base' }],
    }
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Base' }],
      properties: { title: { type: 'string' } },
      // Two parts may require the same.
      required: ['photo'],
    }
    const document = describeOperation(
      { requestBody: { content: { 'multipart/form-data': { schema } } } },
      { method: 'post', components: { schemas: { Base } } },
    )
    const app = openServer(fromOpenAPI(document))
    const [tool] = await listTools(app)
    const { properties, required } = tool.inputSchema.properties.body
    expect([Object.keys(properties), required]).toEqual([['title', 'photo', 'more'], ['photo']])
    const data = 'aGVsbG8='
    await callTool(app, 'call', { body: { title: 'a', photo: { data }, more: [{ data }] } })
    expect(sent[0]?.body).toContain('name="photo"; filename="photo"')
    expect(sent[0]?.body).toContain('name="more"; filename="more"')
  })

  it.each([
    ['a CR', { filename: 'a.png\rX-Admin: 1\r\r<x>' }, 'a.pngX-Admin: 1<x>'],
    ['a line break and quotes', { filename: 'a"\r\nX-Admin: 1.png' }, 'a%22X-Admin: 1.png'],
    ['folders', { filename: '../../etc/passwd' }, 'passwd'],
    ['control characters alone', { filename: '\r\n' }, 'file'],
  ])('has no line of a file name with %s', async (_, file, name) => {
    const sent = playUpstream()
    const body = { photo: { data: 'AQID', ...file } }
    await callTool(serve(content(schemas['3.0.3']), {}, '3.0.3'), 'call', { body })
    const lines = sent[0]?.body.split(/\r\n|\r|\n/) ?? []
    expect(lines.filter((line) => /filename|X-Admin/.test(line))).toEqual([
      `Content-Disposition: form-data; name="photo"; filename="${name}"`,
    ])
  })

  it('has no line of the content type of a file', async () => {
    const sent = playUpstream()
    const body = { photo: { data: 'AQID', contentType: 'image/png\rX-Admin: 1' } }
    await callTool(serve(content(schemas['3.0.3']), {}, '3.0.3'), 'call', { body })
    const lines = sent[0]?.body.split(/\r\n|\r|\n/) ?? []
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.filter((line) => line.startsWith('X-Admin'))).toEqual([])
  })

  it.each(['a\rX-Admin: 2', 'a\r\nX-Admin: 3', 'a\0'])(
    'refuses the property name %j',
    async (name) => {
      const sent = playUpstream()
      const body = { photo: { data: 'AQID' }, [name]: 'b' }
      const app = serve(content(schemas['3.0.3']), {}, '3.0.3')
      const result = await callTool(app, 'call', { body })
      expect(result.content[0].text).toBe(
        `Invalid arguments: the name ${JSON.stringify(name)} in body must not have control characters`,
      )
      expect(sent).toEqual([])
    },
  )

  it('refuses a file that is not base64', async () => {
    const sent = playUpstream()
    const result = await callTool(serve(content(file), {}, '3.0.3'), 'call', {
      body: { photo: { data: 'no base64!' } },
    })
    expect(result.content[0].text).toBe('Invalid arguments: body.photo.data must be base64')
    expect(sent).toEqual([])
  })
})

describe('other bodies', () => {
  it('text is sent as the argument', async () => {
    const sent = playUpstream()
    await callTool(serve({ 'application/xml': { schema: object } }), 'call', { body: '<a/>' })
    expect(sent[0]).toMatchObject({ body: '<a/>' })
    expect(sent[0]?.headers.get('content-type')).toBe('application/xml')
  })

  it('bytes are base64 in the argument', async () => {
    const sent = playUpstream()
    const app = serve({
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    })
    await callTool(app, 'call', { body: 'aGVsbG8=' })
    expect(sent[0]?.body).toBe('hello')
  })
})
