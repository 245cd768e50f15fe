/** The Server Card and the AI Catalog of both fixture servers, read by a page of another origin in a real browser. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useFixtureServer } from './fixture-server.ts'
import { useBrowser } from './open-browser.ts'

const browser = useBrowser()
const servers = [
  ['fixture', useFixtureServer()],
  ['protected', useFixtureServer({ protected: true })],
] as const
let site: Server

beforeAll(async () => {
  site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>A page</title>')
  })
  await new Promise<void>((done) => void site.listen(0, '127.0.0.1', done))
})

afterAll(() => {
  site.close()
})

interface Read {
  readonly status: number
  readonly type: string | null
  readonly etag: string | null
  readonly cache: string | null
  readonly text: string
}

async function openPage() {
  const { page } = await browser.open()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  const read = (url: string, init: RequestInit = {}): Promise<Read> =>
    page.evaluate(`fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(async (response) => ({
      status: response.status,
      type: response.headers.get('content-type'),
      etag: response.headers.get('etag'),
      cache: response.headers.get('cache-control'),
      text: await response.text(),
    }))`)
  return { page, read }
}

describe.each(servers)('a page of another site and the %s server', (name, server) => {
  it('reads the catalogue and the card, and has them again by their tags', async () => {
    const { read } = await openPage()
    const catalog = await read(new URL('/.well-known/ai-catalog.json', server.url).href)
    expect(catalog).toMatchObject({ status: 200, type: 'application/ai-catalog+json' })
    const { specVersion, entries } = JSON.parse(catalog.text)
    expect(specVersion).toBe('1.0')
    const identifier = `urn:air:edgeway.dev:mcp:${name}`
    const type = 'application/mcp-server-card+json'
    expect(entries).toEqual([{ identifier, type, url: `${server.url}/server-card` }])
    const card = await read(entries[0].url, { headers: { accept: type } })
    expect(card).toMatchObject({
      status: 200,
      type,
      cache: 'public, max-age=3600',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    })
    const { remotes, ...described } = JSON.parse(card.text)
    expect(described).toMatchObject({ name: `dev.edgeway/${name}`, title: 'Edgeway fixture' })
    expect(remotes[0]).toMatchObject({ type: 'streamable-http', url: server.url })
    // The header makes the browser ask for permission first.
    const headers = { 'if-none-match': card.etag ?? '' }
    expect(await read(entries[0].url, { headers })).toMatchObject({
      status: 304,
      etag: card.etag,
      text: '',
    })
  })

  it('may not send another method or header', async () => {
    const { read } = await openPage()
    const card = `${server.url}/server-card`
    await expect(read(card, { method: 'DELETE' })).rejects.toThrow(/Failed to fetch/)
    await expect(read(card, { headers: { authorization: 'Bearer a' } })).rejects.toThrow(
      /Failed to fetch/,
    )
    expect(await read(card, { method: 'POST', body: '{}' })).toMatchObject({ status: 405 })
  })

  it('finds the catalogue by the link element of the page at /', async () => {
    const { page } = await browser.open()
    await page.goto(new URL('/', server.url).href)
    expect(await page.evaluate(`document.querySelector('link[rel=ai-catalog]').href`)).toBe(
      new URL('/.well-known/ai-catalog.json', server.url).href,
    )
  })
})
