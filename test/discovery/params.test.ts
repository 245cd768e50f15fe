/** Cards of paths with params, and the reserved value of a param. */
// features: sessions

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { serverCard } from '../../src/features/server-card/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { createEdgeway, type FactoryContext, McpServer } from '../../src/index.ts'
import { connectApp, modernRequest } from '../support/test-app.ts'
import { CATALOG, faultsOf, get, INFO, jsonOf, NAME, ORIGIN, openFactory } from './discovered.ts'

describe('the card of a path with params', () => {
  it('is beside each path of the pattern, and has the pattern with its variables', async () => {
    const app = openFactory('/mcp/{org}', {
      card: { variables: { org: { description: 'The team', placeholder: 'acme' } } },
    })
    const card = await jsonOf(app, '/mcp/acme/server-card')
    expect(faultsOf(card)).toEqual([])
    expect(card.remotes).toMatchObject([
      {
        type: 'streamable-http',
        url: `${ORIGIN}/mcp/{org}`,
        variables: { org: { description: 'The team', placeholder: 'acme', isRequired: true } },
      },
    ])
    expect(await jsonOf(app, '/mcp/other%20team/server-card')).toEqual(card)
    // Without a param, for the catalogue.
    expect(await jsonOf(app, '/mcp/server-card')).toEqual(card)
    expect((await jsonOf(app, CATALOG)).entries[0].url).toBe(`${ORIGIN}/mcp/server-card`)
  })

  it.each([
    ['/{org}', '/acme/server-card', '/server-card'],
    ['/{org}/mcp', '/acme/mcp/server-card', '/server-card'],
    ['/mcp/{org}/{team}', '/mcp/acme/x/server-card', '/mcp/server-card'],
    ['/t/{org}/mcp', '/t/acme/mcp/server-card', '/t/server-card'],
  ])('%s has the card at %s, and for the catalogue at %s', async (path, beside, catalogued) => {
    const app = openFactory(path)
    const card = await jsonOf(app, beside)
    expect(card.remotes[0].url).toBe(ORIGIN + path)
    expect(await jsonOf(app, catalogued)).toEqual(card)
    expect((await jsonOf(app, CATALOG)).entries[0].url).toBe(ORIGIN + catalogued)
  })

  it.each(['/mcp/a%2Fb', '/mcp/..%2f', '/mcp/%00', '/mcp/', `/mcp/${'a'.repeat(201)}`, '/mcp/a/b'])(
    'is not beside the malformed path %s',
    async (path) => {
      expect((await get(openFactory('/mcp/{org}'), `${path}/server-card`)).status).toBe(404)
    },
  )

  it('names the path that was asked first, of several', async () => {
    const app = openFactory(['/mcp', '/mcp/{org}'])
    const urlsAt = async (path: string) =>
      (await jsonOf(app, path)).remotes.map(({ url }: { url: string }) => url.slice(ORIGIN.length))
    expect(await urlsAt('/mcp/server-card')).toEqual(['/mcp', '/mcp/{org}'])
    expect(await urlsAt('/mcp/acme/server-card')).toEqual(['/mcp/{org}', '/mcp'])
  })

  it('is that of the path without params, in any order of the paths', async () => {
    const { remotes } = await jsonOf(openFactory(['/mcp/{org}', '/mcp']), '/mcp/server-card')
    expect(remotes[0]).toMatchObject({ url: `${ORIGIN}/mcp` })
    expect(remotes[0].variables).toBeUndefined()
  })

  it('has the path of the transport of 2024-11-05, with its params', async () => {
    const edgeway = createEdgeway(() => new McpServer(INFO), {
      info: INFO,
      path: '/mcp/{org}',
      features: [sessions(), serverCard({ name: NAME })],
    })
    const card = await jsonOf(connectApp(edgeway, { ...env }), '/mcp/acme/server-card')
    expect(faultsOf(card)).toEqual([])
    expect(card.remotes[1]).toMatchObject({
      type: 'sse',
      url: `${ORIGIN}/sse/{org}`,
      variables: { org: { isRequired: true } },
    })
  })
})

describe('the value server-card of a param', () => {
  const built: string[] = []
  const app = openFactory(['/mcp/{org}', '/t/{org}/mcp'], {
    factory: ({ params }) => {
      built.push(`${params.org}`)
      return new McpServer(INFO)
    },
  })
  const call = async (path: string) => {
    const { headers, body } = modernRequest('server/discover')
    const url = new URL(path, ORIGIN)
    const sent = new Headers(headers as Record<string, string>)
    sent.set('content-type', 'application/json')
    sent.set('accept', 'application/json, text/event-stream')
    return app.fetch(
      new Request(url, { method: 'POST', headers: sent, body: JSON.stringify(body) }),
    )
  }

  it.each([
    ['/mcp/server-card', 405],
    ['/mcp/server%2Dcard', 405],
    ['/mcp/%73erver-card', 405],
    ['/mcp/server-card/', 405],
    ['/mcp/server-card/server-card', 404],
    ['/t/server-card/mcp', 404],
  ])('is refused at POST %s, and the factory does not see it', async (path, status) => {
    expect((await call(path)).status).toBe(status)
    expect((await call('/mcp/acme')).status).toBe(200)
    expect(built).not.toContain('server-card')
    expect(built).toContain('acme')
  })

  it('is said when the server is created', () => {
    expect(app.events.filter(({ type }) => type === 'definition-warning')).toEqual([
      {
        type: 'definition-warning',
        subject: 'The path /mcp/{org}',
        message:
          'no param has the value "server-card": serverCard() reserves it for the path of the card',
      },
      expect.objectContaining({ subject: 'The path /t/{org}/mcp' }),
    ])
  })

  it('is a value as any other on a server without serverCard()', async () => {
    const edgeway = createEdgeway(
      ({ params }: FactoryContext<unknown>) => new McpServer({ ...INFO, name: `${params.org}` }),
      {
        info: INFO,
        path: '/mcp/{org}',
      },
    )
    const plain = connectApp(edgeway, {}).at('/mcp/server-card')
    expect((await plain.modern('server/discover')).status).toBe(200)
  })
})
