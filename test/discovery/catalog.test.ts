/** The AI Catalog: its entries, several servers of one host, and the links that lead to it. */
// features: landing-page

import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { landingPage } from '../../src/features/landing-page/index.ts'
import { type ServerCardOptions, serverCard } from '../../src/features/server-card/index.ts'
import { createEdgeway, McpServer } from '../../src/index.ts'
import { connectApp, type TestApp } from '../support/test-app.ts'
import { CATALOG, faultsOf, get, INFO, jsonOf, NAME, ORIGIN, open } from './discovered.ts'

const TYPE = 'application/mcp-server-card+json'

describe('the AI Catalog', () => {
  it('has one entry, which leads to the card', async () => {
    const app = open({ options: { path: ['/mcp', '/v1/mcp'] } })
    const catalog = await jsonOf(app, CATALOG)
    const url = `${ORIGIN}/mcp/server-card`
    expect(catalog).toEqual({
      specVersion: '1.0',
      entries: [{ identifier: 'urn:air:example.com:mcp:notes', type: TYPE, url }],
    })
    const response = await app.fetch(new Request(url, { headers: { accept: TYPE } }))
    expect(response.headers.get('content-type')).toBe(TYPE)
    const card = (await response.json()) as { remotes: { url: string }[] }
    expect(faultsOf(card)).toEqual([])
    expect(card.remotes.map((remote) => remote.url)).toEqual([`${ORIGIN}/mcp`, `${ORIGIN}/v1/mcp`])
  })

  it('has the host, the tags and the identifier of the options', async () => {
    const host = { displayName: 'Example Inc.', documentationUrl: 'https://example.com/docs' }
    const tags = ['notes', 'search']
    const identifier = 'https://example.com/notes'
    const catalog = await jsonOf(open({ card: { host, tags, identifier } }), CATALOG)
    expect(catalog).toMatchObject({ host, entries: [{ identifier, tags }] })
  })

  it.each([
    ['com.example.mcp/Notes', 'urn:air:mcp.example.com:mcp:Notes'],
    ['io.github.Acme/notes', 'urn:air:acme.github.io:mcp:notes'],
    ['dev.edgeway/fixture', 'urn:air:edgeway.dev:mcp:fixture'],
  ])('names %s as %s', async (name, identifier) => {
    expect((await jsonOf(open({ card: { name } }), CATALOG)).entries[0].identifier).toBe(identifier)
  })

  it('names the origin that was asked', async () => {
    const { entries } = await jsonOf(open(), CATALOG, { origin: 'http://127.0.0.1:8787' })
    expect(entries[0].url).toBe('http://127.0.0.1:8787/mcp/server-card')
  })
})

const server = (path: string, card: ServerCardOptions) =>
  createEdgeway(new McpServer({ ...INFO, name: path.slice(1) }), {
    path,
    features: [serverCard(card)],
  })

const mounted = (...servers: readonly ReturnType<typeof server>[]): TestApp => {
  const outer = new Hono()
  for (const { app } of servers) outer.route('/', app)
  return connectApp({
    fetch: (request, env, ctx) => outer.fetch(request, env as object, ctx as never),
  })
}

describe('several servers that are mounted in one Hono app', () => {
  const docs = () => server('/docs', { name: 'com.example/docs', host: { displayName: 'Example' } })
  const notes = () => server('/notes', { name: NAME })
  const more = () => server('/more', { name: 'com.example/more' })

  it('have one catalogue with an entry for each, and a card each', async () => {
    const app = mounted(docs(), notes(), more())
    const { host, entries } = await jsonOf(app, CATALOG)
    expect(host).toEqual({ displayName: 'Example' })
    expect(entries.map(({ url }: { url: string }) => url)).toEqual(
      ['/docs', '/notes', '/more'].map((path) => `${ORIGIN}${path}/server-card`),
    )
    for (const [index, { url }] of entries.entries()) {
      const { remotes } = await jsonOf(app, new URL(url).pathname)
      expect(remotes).toHaveLength(1)
      expect(remotes[0].url).toBe(`${ORIGIN}/${['docs', 'notes', 'more'][index]}`)
    }
    // The entries of one request are not those of the next.
    expect((await jsonOf(app, CATALOG)).entries).toHaveLength(3)
  })

  it('have a tag and a preflight of the whole catalogue', async () => {
    const app = mounted(docs(), notes())
    const etag = (await get(app, CATALOG)).headers.get('etag') ?? ''
    expect((await get(app, CATALOG, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await get(app, CATALOG, { method: 'OPTIONS' })).status).toBe(204)
    expect(etag).not.toBe((await get(mounted(docs()), CATALOG)).headers.get('etag'))
  })

  it('have an identifier once', async () => {
    const other = server('/other', { name: NAME })
    expect((await jsonOf(mounted(notes(), other), CATALOG)).entries).toEqual([
      expect.objectContaining({ url: `${ORIGIN}/notes/server-card` }),
    ])
  })

  it('leave the catalogue to a route of the author, and not to one for all paths', async () => {
    const outer = new Hono()
    outer.route('/', notes().app)
    outer.get('*', (c) => c.html('<p>A page</p>'))
    const all = connectApp({ fetch: (request) => outer.fetch(request) })
    expect((await jsonOf(all, CATALOG)).entries).toHaveLength(1)
    expect((await jsonOf(all, '/notes/server-card')).name).toBe(NAME)
    const own = notes()
    own.app.get(CATALOG, (c) => c.json({ specVersion: '1.0', entries: [] }))
    expect(await jsonOf(connectApp(own), CATALOG)).toEqual({ specVersion: '1.0', entries: [] })
  })
})

describe('the page at /', () => {
  const root = (app: TestApp, accept: string, method = 'GET') =>
    get(app, '/', { method, headers: { accept } })

  it.each(['text/html', 'application/json'])('as %s has a Link header', async (accept) => {
    const app = open({ features: [landingPage()] })
    for (const method of ['GET', 'HEAD']) {
      const response = await root(app, accept, method)
      expect(response.headers.get('link')).toBe(`<${CATALOG}>; rel="ai-catalog"`)
    }
    const etag = (await root(app, accept)).headers.get('etag') ?? ''
    const known = await get(app, '/', { headers: { accept, 'if-none-match': etag } })
    expect([known.status, known.headers.has('link')]).toEqual([304, true])
  })

  it('has a link element', async () => {
    const page = await (await root(open({ features: [landingPage()] }), 'text/html')).text()
    expect(page).toContain(
      `<link rel="ai-catalog" href="${CATALOG}" type="application/ai-catalog+json">`,
    )
  })

  it('has no link without serverCard()', async () => {
    const features = [landingPage()]
    const plain = connectApp(createEdgeway(new McpServer(INFO), { features }))
    const response = await root(plain, 'text/html')
    expect(response.headers.has('link')).toBe(false)
    expect(await response.text()).not.toContain('<link')
  })
})
