/** The files of the notebook with the official clients: an uploaded document, and the same as an export. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorize } from '../../scripts/support/authorize.ts'
import { findFreePort } from '../../scripts/support/free-port.ts'
import { PROJECT_DIRECTORY } from '../../scripts/support/project.ts'
import { type LoggedServer, startLoggedServer } from '../support/node/fixture-server.ts'
import { connectAnswering } from './answering-client.ts'
import type { Received } from './sessions/client-interface.ts'
import { connectSession, type Kind } from './sessions/connect-session.ts'

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

interface Connection {
  call(name: string, args: object): Promise<Received>
  read(uri: string): Promise<Received>
}

type Elicit = (params: Received) => Promise<{ action: 'accept' }>

async function connectKind(kind: Kind, elicit: Elicit): Promise<Connection> {
  const { call, client, answer } = await connectSession(kind, {
    url: String(server?.url),
    fetch: fetchSignedIn,
    capabilities: { elicitation: { form: {}, url: {} } },
  })
  answer('elicitation/create', elicit)
  return { call, read: (uri) => client.readResource({ uri }) }
}

async function connectModern(elicit: Elicit): Promise<Connection> {
  const { client } = await connectAnswering(
    { elicit },
    { url: String(server?.url), fetch: fetchSignedIn },
  )
  return {
    call: (name, args) => client.callTool({ name, arguments: { ...args } }),
    read: (uri) => client.readResource({ uri }),
  }
}

const CLIENTS: readonly [string, (elicit: Elicit) => Promise<Connection>][] = [
  ['v1', (elicit) => connectKind('v1', elicit)],
  ['v1 over HTTP+SSE', (elicit) => connectKind('v1 over HTTP+SSE', elicit)],
  ['v2', (elicit) => connectKind('v2', elicit)],
  ['v2, modern', connectModern],
]

describe.each(CLIENTS)('the official client %s', (kind, connect) => {
  const tag = kind.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const document = new TextEncoder().encode(
    `# Soup of ${kind}\n\nsalt: é語😀\n# Lisbon of ${kind}\n\n\u202eHotel\u202c Aurora\u2028second line\n`,
  )

  test('uploads a document of notes, and exports the same bytes as a resource and as a URL', async () => {
    const urls: string[] = []
    const { call, read } = await connect(async ({ mode, url }) => {
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

    const { contents } = await read(link.uri)
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
    const { call, read } = await connect(() => Promise.reject(new Error('Nothing is asked')))
    const { content, structuredContent } = await call('export_notes', { tags: [tag] })
    const { uri } = content[1]
    await expect(read(`${uri.slice(0, -4)}AAAA`)).rejects.toThrow()
    const { status } = await fetch(`${structuredContent.url.slice(0, -4)}AAAA`)
    expect(status).toBe(404)
  })
})
