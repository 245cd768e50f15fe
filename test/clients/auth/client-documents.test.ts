/** Apps whose client id is the URL of a metadata document, without registration. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { authorize, createApp, KINDS, signIn } from './app.ts'
import { detailsOf, headingOf, openBrowser } from './browser.ts'
import { useServerWithClientHost } from './client-host.ts'
import { MemoryProvider } from './memory-provider.ts'

const { server, host } = useServerWithClientHost()

let published = 0

/** Publishes a document under a new URL and returns the provider of its app. */
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
  return host.requests.filter((line) => line.endsWith(String(clientMetadataUrl)))
}

describe.each(KINDS)('%s', (kind) => {
  test('is authorized by its document, which is fetched once', async () => {
    verifies('authorization-discovery/client-document-draft')
    const provider = publish()
    const app = createApp(kind, { url: server.url, provider })
    expect(await app.connect()).toBe('redirected')
    expect(app.requests().filter((line) => line.includes('/register'))).toEqual([])
    expect(requestsFor(provider)).toEqual([])
    expect(provider.pending.url.searchParams.get('client_id')).toBe(provider.clientMetadataUrl)

    await authorize(app)
    expect(await app.connect()).toBe('connected')
    const { structuredContent } = await app.call('whoami')
    expect(structuredContent).toMatchObject({
      subject: 'owner',
      clientId: provider.clientMetadataUrl,
    })
    expect(requestsFor(provider)).toEqual([`GET ${provider.clientMetadataUrl}`])
  })
})

test('the consent page shows the host of the document and the redirect target', async () => {
  verifies('authorization-security/redirect-host-is-displayed')
  const app = createApp('v2', { url: server.url, provider: publish() })
  await app.connect()
  const page = await openBrowser().open(app.provider.pending.url)
  expect(headingOf(page)).toBe('Example app wants to connect to Edgeway fixture')
  expect(detailsOf(page)).toMatchObject({ App: 'client.example', 'Connects to': server.url })
  expect(detailsOf(page)['Your answer goes to']).toContain('127.0.0.1:43117')
})

test('the consent page marks a registered app as unverified', async () => {
  verifies('dynamic-client-registration/metadata-is-unverified')
  const app = createApp('v2', { url: server.url })
  await app.connect()
  const page = await openBrowser().open(app.provider.pending.url)
  expect(headingOf(page)).toBe('Test app wants to connect to Edgeway fixture')
  expect(detailsOf(page).App).toMatch(/^Unverified/)
})

test.each([
  { what: 'names another client id', document: { client_id: 'https://client.example/other.json' } },
  { what: 'has a client secret', document: { client_secret: 'open sesame' } },
  { what: 'has no redirect URI', document: { redirect_uris: [] } },
  { what: 'lacks the redirect URI', document: { redirect_uris: ['http://127.0.0.1/elsewhere'] } },
])('/authorize shows an error page for an app whose document $what', async ({ document }) => {
  verifies('authorization-discovery/client-document-names-its-url')
  verifies('authorization-discovery/client-document-redirect-uris')
  verifies('client-id-metadata-documents/client-id-member')
  verifies('client-id-metadata-documents/redirect-uris', { row: 'lacks the redirect URI' })
  const provider = publish(document)
  const app = createApp('v2', { url: server.url, provider })
  expect(await app.connect()).toBe('redirected')
  const page = await openBrowser().open(provider.pending.url)
  expect(page.location).toBeUndefined()
  expect(headingOf(page)).toBe('This app cannot connect')
})

test('/authorize shows an error page for an app without a document', async () => {
  const clientMetadataUrl = 'https://client.example/nothing.json'
  const provider = new MemoryProvider({ clientMetadataUrl })
  await createApp('v2', { url: server.url, provider }).connect()
  const page = await openBrowser().open(provider.pending.url)
  expect(page.location).toBeUndefined()
  expect(headingOf(page)).toBe('This app cannot connect')
})

test('the server fetches only client documents', async () => {
  await signIn('v2, modern', { url: server.url, provider: publish() })
  expect(host.requests.filter((line) => !line.startsWith('GET https://client.example/'))).toEqual(
    [],
  )
})
