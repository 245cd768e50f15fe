/** Every style of OpenAPI, with the values of the table of the specification, as the API receives them. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fromOpenAPI } from '../src/index.ts'
import { callTool, describeOperation, openServer, playUpstream } from './support/upstream.ts'

const VALUES = {
  empty: '',
  string: 'blue',
  array: ['blue', 'black', 'brown'],
  object: { R: 100, G: 200, B: 150 },
}

/** Style, explode, value, and what the request contains. @see https://spec.openapis.org/oas/v3.1.1#style-examples */
type Row = readonly [string, boolean, keyof typeof VALUES, string]

const PATH: readonly Row[] = [
  ['simple', false, 'string', 'blue'],
  ['simple', false, 'array', 'blue,black,brown'],
  ['simple', false, 'object', 'R,100,G,200,B,150'],
  ['simple', true, 'string', 'blue'],
  ['simple', true, 'array', 'blue,black,brown'],
  ['simple', true, 'object', 'R=100,G=200,B=150'],
  ['label', false, 'string', '.blue'],
  ['label', false, 'array', '.blue,black,brown'],
  ['label', false, 'object', '.R,100,G,200,B,150'],
  ['label', true, 'string', '.blue'],
  ['label', true, 'array', '.blue.black.brown'],
  ['label', true, 'object', '.R=100.G=200.B=150'],
  ['matrix', false, 'empty', ';color'],
  ['matrix', false, 'string', ';color=blue'],
  ['matrix', false, 'array', ';color=blue,black,brown'],
  ['matrix', false, 'object', ';color=R,100,G,200,B,150'],
  ['matrix', true, 'empty', ';color'],
  ['matrix', true, 'string', ';color=blue'],
  ['matrix', true, 'array', ';color=blue;color=black;color=brown'],
  ['matrix', true, 'object', ';R=100;G=200;B=150'],
]

const QUERY: readonly Row[] = [
  ['form', false, 'empty', 'color='],
  ['form', false, 'string', 'color=blue'],
  ['form', false, 'array', 'color=blue,black,brown'],
  ['form', false, 'object', 'color=R,100,G,200,B,150'],
  ['form', true, 'empty', 'color='],
  ['form', true, 'string', 'color=blue'],
  ['form', true, 'array', 'color=blue&color=black&color=brown'],
  ['form', true, 'object', 'R=100&G=200&B=150'],
  ['spaceDelimited', false, 'array', 'color=blue%20black%20brown'],
  ['spaceDelimited', false, 'object', 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, 'array', 'color=blue%7Cblack%7Cbrown'],
  ['pipeDelimited', false, 'object', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['deepObject', true, 'object', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
]

const HEADER: readonly Row[] = [
  ['simple', false, 'string', 'blue'],
  ['simple', false, 'array', 'blue,black,brown'],
  ['simple', false, 'object', 'R,100,G,200,B,150'],
  ['simple', true, 'object', 'R=100,G=200,B=150'],
]

const COOKIE: readonly Row[] = [
  ['form', true, 'string', 'color=blue'],
  ['form', false, 'array', 'color=blue,black,brown'],
  ['form', false, 'object', 'color=R,100,G,200,B,150'],
]

afterEach(() => {
  vi.restoreAllMocks()
})

/** Calls an operation with one parameter and returns the request. */
async function send(parameter: Record<string, unknown>, value: unknown, path = '/things') {
  const sent = playUpstream()
  const document = describeOperation(
    { parameters: [{ name: 'color', schema: {}, ...parameter }] },
    { path },
  )
  const result = await callTool(openServer(fromOpenAPI(document)), 'call', { color: value })
  return { request: sent[0], result }
}

describe('the style of a parameter', () => {
  it.each(PATH)(
    'in the path: %s with explode %s of the value %s is %s',
    async (style, explode, value, text) => {
      const parameter = { in: 'path', style, explode, required: true }
      const { request } = await send(parameter, VALUES[value], '/things/{color}')
      expect(request?.url).toBe(`https://api.example/v1/things/${text}`)
    },
  )

  it.each(QUERY)(
    'in the query: %s with explode %s of the value %s is %s',
    async (style, explode, value, text) => {
      const { request } = await send({ in: 'query', style, explode }, VALUES[value])
      expect(request?.url).toBe(`https://api.example/v1/things?${text}`)
    },
  )

  it.each(HEADER)(
    'in a header: %s with explode %s of the value %s is %s',
    async (style, explode, value, text) => {
      const { request } = await send({ in: 'header', style, explode }, VALUES[value])
      expect(request?.headers.get('color')).toBe(text)
    },
  )

  it.each(COOKIE)(
    'in a cookie: %s with explode %s of the value %s is %s',
    async (style, explode, value, text) => {
      const { request } = await send({ in: 'cookie', style, explode }, VALUES[value])
      expect(request?.headers.get('cookie')).toBe(text)
    },
  )

  it.each([
    ['path', '/things/{color}', 'blue,black,brown'],
    ['query', '/things', 'color=blue&color=black&color=brown'],
  ])('has the default of the specification in the %s', async (at, path, text) => {
    const { request } = await send({ in: at }, VALUES.array, path)
    expect(request?.url.endsWith(text)).toBe(true)
  })

  it.each([
    [{ a: { b: 'x' }, list: [1, 2] }, 'color[a][b]=x&color[list][]=1&color[list][]=2'],
    [['x', 'y'], 'color[]=x&color[]=y'],
    [[{ a: 1, b: [2] }, { a: 3 }], 'color[0][a]=1&color[0][b][]=2&color[1][a]=3'],
  ])('has brackets in deepObject for the deeper levels of %j', async (value, text) => {
    const { request } = await send({ in: 'query', style: 'deepObject' }, value)
    expect(decodeURIComponent(request?.url ?? '')).toBe(`https://api.example/v1/things?${text}`)
  })

  it.each([
    ['an empty array', []],
    ['null', null],
    ['an object of nulls', { a: null }],
  ])('sends no parameter for %s', async (_, value) => {
    const { request } = await send({ in: 'query' }, value)
    expect(request?.url).toBe('https://api.example/v1/things')
  })

  it('sends a parameter with content as JSON', async () => {
    const content = { 'application/json': { schema: { type: 'object' } } }
    const { request } = await send({ in: 'query', schema: undefined, content }, { a: [1] })
    expect(request?.url).toBe('https://api.example/v1/things?color=%7B%22a%22%3A%5B1%5D%7D')
  })

  it('keeps the reserved characters of allowReserved, except those that end a parameter', async () => {
    const value = "/a:b?c@d!$'()*,;=&+#[]%"
    const { request } = await send({ in: 'query', allowReserved: true }, value)
    expect(request?.url).toBe(
      'https://api.example/v1/things?color=/a:b?c@d!$%27()*,%3B=%26%2B%23%5B%5D%25',
    )
    expect(new URL(request?.url ?? '').searchParams.get('color')).toBe(value)
  })

  it('encodes every other reserved character', async () => {
    const { request } = await send({ in: 'query' }, 'a&b=c#d?e/f+g é')
    expect(request?.url).toBe(
      'https://api.example/v1/things?color=a%26b%3Dc%23d%3Fe%2Ff%2Bg%20%C3%A9',
    )
  })
})
