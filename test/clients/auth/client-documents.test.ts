/** Apps whose id is the address of a document about them: nothing is registered anywhere. */
import { afterAll, describe, expect, test } from 'vitest'
import { answer, createApp, KINDS, signIn } from './app.ts'
import { factsOf, headingOf, openBrowser } from './browser.ts'
import { type ClientHost, startClientHost } from './client-host.ts'
import { MemoryProvider } from './memory-provider.ts'
import { useProtectedServer } from './protected-server.ts'

let host: ClientHost
const server = useProtectedServer(async () => {
  host = await startClientHost()
  return { egress: host.url }
})
afterAll(() => host.close())

let published = 0

/** Publishes a document under an address of its own, and returns what the app knows of it. */
function publish(more: object = {}): MemoryProvider {
  published += 1
  const url = `https://client.example/apps/${published}.json`
  host.publish(url, {
    client_id: url,
    client_name: 'Example app',
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
    ...more,
  })
  return new MemoryProvider({ clientMetadataUrl: url })
}

function requestsFor({ clientMetadataUrl }: MemoryProvider): readonly string[] {
  return host.asked.filter((line) => line.endsWith(String(clientMetadataUrl)))
}

describe.each(KINDS)('%s', (kind) => {
  test('is known by its address, which is read once', async () => {
    const provider = publish()
    const app = createApp(kind, { url: server.url, provider })
    expect(await app.connect()).toBe('asked')
    expect(app.requests().filter((line) => line.includes('/register'))).toEqual([])
    expect(requestsFor(provider)).toEqual([])
    expect(provider.question.url.searchParams.get('client_id')).toBe(provider.clientMetadataUrl)

    await answer(app)
    expect(await app.connect()).toBe('connected')
    const { structuredContent } = await app.call('whoami')
    expect(structuredContent).toMatchObject({
      subject: 'owner',
      clientId: provider.clientMetadataUrl,
    })
    expect(requestsFor(provider)).toEqual([`GET ${provider.clientMetadataUrl}`])
  })
})

test('the person is shown the host of the document, and where the answer goes', async () => {
  const app = createApp('v2', { url: server.url, provider: publish() })
  await app.connect()
  const page = await openBrowser().open(app.provider.question.url)
  expect(headingOf(page)).toBe('Example app wants to connect to Edgeway fixture')
  expect(factsOf(page)).toMatchObject({ App: 'client.example', 'Connects to': server.url })
  expect(factsOf(page)['Your answer goes to']).toContain('127.0.0.1:43117')
})

test('a registered app is shown as one that has named itself', async () => {
  const app = createApp('v2', { url: server.url })
  await app.connect()
  const page = await openBrowser().open(app.provider.question.url)
  expect(headingOf(page)).toBe('Test app wants to connect to Edgeway fixture')
  expect(factsOf(page).App).toMatch(/^Unverified/)
})

test.each([
  { what: 'says that it is another', document: { client_id: 'https://client.example/other.json' } },
  { what: 'has a secret for all to read', document: { client_secret: 'open sesame' } },
  { what: 'names no address to answer to', document: { redirect_uris: [] } },
  { what: 'answers elsewhere', document: { redirect_uris: ['http://127.0.0.1/elsewhere'] } },
])('an app whose document $what gets no further than the person', async ({ document }) => {
  const provider = publish(document)
  const app = createApp('v2', { url: server.url, provider })
  expect(await app.connect()).toBe('asked')
  const page = await openBrowser().open(provider.question.url)
  expect(page.location).toBeUndefined()
  expect(headingOf(page)).toBe('This link cannot be followed')
})

test('an app that has published nothing gets no further than the person', async () => {
  const clientMetadataUrl = 'https://client.example/nothing.json'
  const provider = new MemoryProvider({ clientMetadataUrl })
  await createApp('v2', { url: server.url, provider }).connect()
  const page = await openBrowser().open(provider.question.url)
  expect(page.location).toBeUndefined()
  expect(headingOf(page)).toBe('This link cannot be followed')
})

test('the server has asked the world for documents and nothing else', async () => {
  await signIn('v2, modern', { url: server.url, provider: publish() })
  expect(host.asked.filter((line) => !line.startsWith('GET https://client.example/'))).toEqual([])
})
