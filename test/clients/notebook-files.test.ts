/** The files of the notebook with the official clients: an uploaded document, and the same as an export. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorize } from '../../scripts/support/authorize.ts'
import { findFreePort } from '../../scripts/support/free-port.ts'
import { PROJECT_DIRECTORY } from '../../scripts/support/project.ts'
import { type LoggedServer, startLoggedServer } from '../support/node/fixture-server.ts'
import { connectClient, KINDS } from './connect-client.ts'

let server: LoggedServer | undefined
let token: string

beforeAll(async () => {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  server = await startLoggedServer({
    configPath: `${PROJECT_DIRECTORY}/wrangler.toml`,
    port,
    state: undefined,
    vars: { EDGEWAY_ORIGIN: origin },
  })
  token = await authorize({ origin })
})

afterAll(() => server?.stop())

/** Sends the token of the user with each request. */
const fetchSignedIn: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return fetch(input, { ...init, headers })
}

describe.each(KINDS)('the official client %s', (kind) => {
  const connect = () =>
    connectClient(kind, {
      url: String(server?.url),
      fetch: fetchSignedIn,
      capabilities: { elicitation: { form: {}, url: {} } },
    })
  const tag = kind.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const document = new TextEncoder().encode(
    `# Soup of ${kind}\n\nsalt: é語😀\n# Lisbon of ${kind}\n\n\u202eHotel\u202c Aurora\u2028second line\n`,
  )

  test('uploads a document of notes, and exports the same bytes as a resource and as a URL', async () => {
    const urls: string[] = []
    const { call, client, answer } = await connect()
    answer('elicitation/create', async ({ mode, url }) => {
      expect(mode).toBe('url')
      urls.push(url)
      const headers = { 'content-type': 'text/markdown' }
      const { status } = await fetch(url, { method: 'PUT', headers, body: document })
      expect(status).toBe(201)
      return { action: 'accept' }
    })
    const imported = await call('import_notes', { duplicates: 'skip', tags: [tag] })
    expect(urls).toHaveLength(1)
    expect(imported.structuredContent).toMatchObject({ skipped: [], refused: [] })
    expect(imported.structuredContent.created).toHaveLength(2)

    const { content, structuredContent } = await call('export_notes', { tags: [tag] })
    expect(structuredContent.size).toBe(document.byteLength)
    const [text, link] = content
    expect(text.text).toContain(structuredContent.url)
    expect(link).toMatchObject({
      type: 'resource_link',
      mimeType: 'text/markdown',
      size: document.byteLength,
    })

    const { contents } = await client.readResource({ uri: link.uri })
    expect(contents).toHaveLength(1)
    expect(contents[0]).toMatchObject({ uri: link.uri, mimeType: 'text/markdown' })
    expect(new TextEncoder().encode(contents[0].text)).toEqual(document)

    expect(new URL(structuredContent.url).origin).toBe(new URL(String(server?.url)).origin)
    const download = await fetch(structuredContent.url)
    expect(download.status).toBe(200)
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename="notebook-/)
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(document)
  })

  test('is refused an altered link of an export, and an altered URL', async () => {
    const { call, client } = await connect()
    const { content, structuredContent } = await call('export_notes', { tags: [tag] })
    const { uri } = content[1]
    const altered = `${uri.slice(0, -4)}AAAA`
    await expect(client.readResource({ uri: altered })).rejects.toThrow()
    const { status } = await fetch(`${structuredContent.url.slice(0, -4)}AAAA`)
    expect(status).toBe(404)
  })
})
