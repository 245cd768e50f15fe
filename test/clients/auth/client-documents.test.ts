/** Apps whose client id is the URL of a metadata document, without registration. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { authorize, createApp, KINDS } from './app.ts'
import { useServerWithClientHost } from './client-host.ts'
import { MemoryProvider } from './memory-provider.ts'

const { server, host } = useServerWithClientHost()

let published = 0

/** Publishes a document under a new URL and returns the provider of its app. */
function publish(): MemoryProvider {
  published += 1
  const url = `https://client.example/apps/${published}.json`
  host.publish(url, {
    client_id: url,
    client_name: 'Example app',
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  })
  return new MemoryProvider({ clientMetadataUrl: url })
}

describe.each(KINDS)('%s', (kind) => {
  test('is authorized by its document, which is fetched once', async () => {
    verifies('authorization-discovery/client-document-draft')
    const provider = publish()
    const before = host.requests.length
    const app = createApp(kind, { url: server.url, provider })
    expect(await app.connect()).toBe('redirected')
    expect(app.requests().filter((line) => line.includes('/register'))).toEqual([])
    expect(provider.pending.url.searchParams.get('client_id')).toBe(provider.clientMetadataUrl)

    await authorize(app)
    expect(await app.connect()).toBe('connected')
    const { structuredContent } = await app.call('whoami')
    expect(structuredContent).toMatchObject({
      subject: 'owner',
      clientId: provider.clientMetadataUrl,
    })
    expect(host.requests.slice(before)).toEqual([`GET ${provider.clientMetadataUrl}`])
  })
})
