/** The card and the catalogue as HTTP: media types, CORS, caches, methods and limits. */
// features: rate-limits

import { describe, expect, it } from 'vitest'
import { external } from '../../src/auth/index.ts'
import { rateLimits } from '../../src/features/rate-limits/index.ts'
import { CATALOG, get, jsonOf, open } from './discovered.ts'

const DOCUMENTS = [
  ['/mcp/server-card', 'application/mcp-server-card+json'],
  [CATALOG, 'application/ai-catalog+json'],
] as const

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type, If-None-Match',
  'access-control-expose-headers': 'ETag',
}

const headersOf = (response: Response) => Object.fromEntries(response.headers)

describe.each(DOCUMENTS)('%s', (path, mediaType) => {
  it.each([undefined, mediaType, '*/*', 'application/json', 'text/html'])(
    'has its own media type for Accept: %s',
    async (accept) => {
      const response = await get(open(), path, accept === undefined ? {} : { headers: { accept } })
      expect(response.status).toBe(200)
      expect(headersOf(response)).toEqual({
        ...CORS,
        'cache-control': 'public, max-age=3600',
        'content-type': mediaType,
        etag: expect.stringMatching(/^"[\w-]{43}"$/),
        'x-content-type-options': 'nosniff',
      })
      expect(await response.json()).toBeTypeOf('object')
    },
  )

  it('answers HEAD as GET, without a body', async () => {
    const app = open()
    const [head, full] = [await get(app, path, { method: 'HEAD' }), await get(app, path)]
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(headersOf(head)).toEqual(headersOf(full))
  })

  it.each([
    ['the tag', (etag: string) => etag, 304],
    ['the tag in its weak form', (etag: string) => `W/${etag}`, 304],
    ['a list with the tag', (etag: string) => `"a,b", W/"c" ,${etag}`, 304],
    ['an asterisk', () => ' * ', 304],
    ['another tag', () => '"other"', 200],
    ['the tag without quotes', (etag: string) => etag.slice(1, -1), 200],
    ['a tag that contains it', (etag: string) => `"x${etag.slice(1)}`, 200],
    ['nothing', () => '', 200],
  ])('compares its tag with If-None-Match: %s', async (_, tagOf, status) => {
    const app = open()
    const etag = (await get(app, path)).headers.get('etag') ?? ''
    for (const method of ['GET', 'HEAD']) {
      const again = await get(app, path, { method, headers: { 'if-none-match': tagOf(etag) } })
      expect(again.status).toBe(status)
      expect(again.headers.get('etag')).toBe(etag)
      if (status !== 304) continue
      expect(await again.text()).toBe('')
      expect(headersOf(again)).toEqual({ ...CORS, 'cache-control': 'public, max-age=3600', etag })
    }
  })

  it('has another tag when its content is another one', async () => {
    const tagOf = async (version: string) =>
      (await get(open({ info: { version } }), '/mcp/server-card')).headers.get('etag')
    expect(await tagOf('1.0.0')).not.toBe(await tagOf('1.0.1'))
  })

  it('answers a preflight of any page', async () => {
    const response = await get(open(), path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      },
    })
    expect([response.status, headersOf(response)]).toEqual([204, CORS])
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'answers %s with 405 and what it is',
    async (method) => {
      const response = await get(open(), path, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toEqual({
        error: 'method_not_allowed',
        message: expect.stringMatching(/read by GET\. The MCP endpoint is \/mcp$/),
      })
    },
  )

  it('is served without a token by a server that requires one, and says the same to all', async () => {
    const auth = external({
      issuers: [{ issuer: 'https://login.example.com' }],
      origin: 'https://mcp.example.com',
      scopes: { read: 'Read' },
    })
    const app = open({ options: { auth } })
    const sent: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { cookie: 'a=b' },
      { origin: 'null' },
    ]
    const answers = await Promise.all(sent.map((headers) => get(app, path, { headers })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(texts).size).toBe(1)
    expect((await get(app, '/mcp')).status).toBe(401)
  })

  it('counts requests by network', async () => {
    const classes = { network: { limit: 2 } } as const
    const app = open({ features: [rateLimits({ classes })] })
    const ask = () => get(app, path, { headers: { 'cf-connecting-ip': '203.0.113.9' } })
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    const refused = await ask()
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('does not exist in another spelling', async () => {
    const app = open()
    for (const other of [path.toUpperCase(), `${path}.json`, `/x${path}`]) {
      expect([other, (await get(app, other)).status]).toEqual([other, 404])
    }
  })
})

it('a server without serverCard() answers both paths with 404', async () => {
  const { createEdgeway, McpServer } = await import('../../src/index.ts')
  const { connectApp } = await import('../support/test-app.ts')
  const app = connectApp(createEdgeway(new McpServer<unknown>({ name: 'a', version: '1' })), {})
  for (const [path] of DOCUMENTS) expect((await get(app, path)).status).toBe(404)
  expect(await jsonOf(app, CATALOG)).toMatchObject({ error: 'not_found' })
})
