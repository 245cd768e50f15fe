/** `GET /` as HTTP: forms, methods, caches, headers and limits. */
// features: rate-limits

import { describe, expect, it } from 'vitest'
import { STYLE, STYLE_SOURCE } from '../../src/features/landing-page/page/style.ts'
import { McpServer } from '../../src/index.ts'
import { sha256Base64Url } from '../../src/platform/digest.ts'
import type { FullOptions } from '../support/full-app.ts'
import { openApp, type TestApp } from '../support/test-app.ts'

const ROOT = 'http://localhost:8787/'

const open = (options?: FullOptions) =>
  openApp(new McpServer({ name: 'weather', version: '2.0.1' }), options)
const get = (app: TestApp, headers: Record<string, string> = {}, method = 'GET') =>
  app.fetch(new Request(ROOT, { method, headers }))

describe('the landing page as HTTP', () => {
  it.each([
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['application/json', 'application/json'],
    ['APPLICATION/JSON', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json, text/html;q=0.9', 'application/json'],
    ['application/json;q=0.5, text/html;q=0.5', 'text/html'],
    ['application/json;q=0.5, text/html;q=0.4', 'application/json'],
    ['application/json, */*;q=0.1', 'application/json'],
    ['text/html;q=0, */*', 'application/json'],
    ['*/*;q=0.5, text/html;q=0', 'application/json'],
    ['text/html;level=1', 'text/html'],
    ['nonsense, application/json', 'application/json'],
    ['text/html;q=2, application/json;q=0.1', 'application/json'],
  ])('answers Accept: %s with %s', async (accept, type) => {
    const response = await get(open(), accept === undefined ? {} : { accept })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain(type)
    expect(response.headers.get('vary')).toBe('accept')
  })

  it.each(['image/png', 'text/event-stream', 'text/html;q=0', '*/*;q=0', 'text/html;q=x'])(
    'answers Accept: %s with 406',
    async (accept) => {
      const response = await get(open(), { accept })
      expect(response.status).toBe(406)
      expect(response.headers.get('vary')).toBe('accept')
      expect(await response.json()).toMatchObject({ error: 'not_acceptable' })
    },
  )

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('answers %s with 405', async (method) => {
    const response = await get(open(), {}, method)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await response.json()).toEqual({
      error: 'method_not_allowed',
      message: 'The MCP endpoint is /mcp',
    })
  })

  it('answers HEAD as GET without a body', async () => {
    const app = open()
    const [head, full] = [await get(app, {}, 'HEAD'), await get(app)]
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect([...head.headers]).toEqual([...full.headers])
  })

  it('has an ETag that saves the body while nothing changes', async () => {
    const app = open()
    const first = await get(app)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(app, { 'if-none-match': value })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
      expect(again.headers.get('vary')).toBe('accept')
    }
    const other = await get(app, { 'if-none-match': etag, accept: 'application/json' })
    expect(other.status).toBe(200)
    expect(other.headers.get('etag')).not.toBe(etag)
  })

  it('runs no script, loads nothing and is not framed', async () => {
    const { headers } = await get(open())
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src ${STYLE_SOURCE}; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const digest = (await sha256Base64Url(STYLE)).replaceAll('-', '+').replaceAll('_', '/')
    expect(STYLE_SOURCE).toBe(`'sha256-${digest}='`)
  })

  it('counts requests by network', async () => {
    const app = open({
      rateLimits: { classes: { network: { limit: 2 } } },
    })
    const headers = { 'cf-connecting-ip': '198.51.100.77' }
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await get(app, headers)).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it('is refused to a host that is not served', async () => {
    const response = await open().fetch(new Request('http://rebound.example/'))
    expect(response.status).toBe(403)
  })

  it('does not change the answer of the endpoint to a browser', async () => {
    const response = await open().fetch(
      new Request(`${ROOT}mcp`, { headers: { accept: 'text/html' } }),
    )
    expect([response.status, response.headers.get('content-type')]).toEqual([
      405,
      'application/json',
    ])
  })
})
