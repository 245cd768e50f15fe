/** Authorization requests that are answered to the person, because no redirect URI is trusted yet. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders, messageOf } from './support/answers.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, REDIRECT_URI } from './support/client.ts'
import { advance, createBindings, openDeployment, PASSPHRASE } from './support/deployment.ts'
import { interceptOutbound } from './support/outbound.ts'
import { failCalls } from './support/scoped-objects.ts'

const DAY_MS = 86_400_000

describe('an authorization request', () => {
  it('shows the consent page for a registered client', async () => {
    verifies('oauth-2-1-endpoints/authorization-endpoint-get')
    const page = await (await AuthClient.register(openDeployment())).authorize()
    expect(page.status).toBe(200)
    expectPageHeaders(page)
    expect(page.headers.get('cross-origin-opener-policy')).toBe('unsafe-none')
    expect(page.actions).toEqual(['/authorize/decision'])
  })

  it('may leave out redirect_uri when the client has one', async () => {
    const client = await AuthClient.register(openDeployment())
    const { actions } = await client.authorize(undefined, { redirect_uri: undefined })
    expect(actions).toEqual(['/authorize/decision'])
  })

  it('may name any port of a loopback redirect URI', async () => {
    verifies('oauth-2-1-clients/loopback-ports', 'oauth-2-1-grants/redirect-uri-is-validated')
    verifies('native-apps/loopback-ports')
    const client = await AuthClient.register(openDeployment(), {
      redirect_uris: ['http://127.0.0.1/callback'],
    })
    const { actions } = await client.authorize(undefined, {
      redirect_uri: 'http://127.0.0.1:53682/callback',
    })
    expect(actions).toEqual(['/authorize/decision'])
  })

  it.each([
    ['has no client_id', { client_id: undefined }],
    ['has an empty client_id', { client_id: '' }],
    ['names a client that is not known', { client_id: 'made-up' }],
    ['names a client that is script', { client_id: '<script>alert(1)</script>' }],
    ['names a client with a NUL', { client_id: 'a\u0000' }],
    ['names a client of 4,097 characters', { client_id: 'x'.repeat(4097) }],
    ['names another redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['names the redirect URI with a slash more', { redirect_uri: `${REDIRECT_URI}/` }],
    ['names a look-alike host', { redirect_uri: 'https://client.example.evil.example/callback' }],
    ['names a redirect URI with a fragment', { redirect_uri: `${REDIRECT_URI}#x` }],
    ['names a redirect URI that is script', { redirect_uri: 'javascript:alert(1)' }],
  ])('is rejected with a page and status 400 when it %s', async (_, changes) => {
    verifies('authorization-discovery/client-id', 'oauth-2-1-clients/no-redirect-to-invalid-uris')
    verifies('oauth-2-1-grants/client-id-of-requests')
    verifies('oauth-2-1-security/server-as-open-redirector')
    const client = await AuthClient.register(openDeployment())
    const page = await client.authorize(undefined, changes)
    expect(messageOf(page)).toBe(400)
    expect(page.html).not.toMatch(/evil|<script/)
  })

  it.each([
    ['client_id', '&client_id=other'],
    ['redirect_uri', '&redirect_uri=https%3A%2F%2Fevil.example'],
  ])('is rejected with a page and status 400 when it has %s twice', async (_, more) => {
    verifies('oauth-2-1-endpoints/repeated-parameters-of-authorization')
    const server = openDeployment()
    const path = (await AuthClient.register(server)).authorizePath()
    expect(messageOf(await new Browser(server).get(`${path}${more}`))).toBe(400)
  })

  it('is rejected with a page and status 400 when it must choose a redirect URI', async () => {
    verifies('oauth-2-1-clients/redirect-uri-among-several')
    const client = await AuthClient.register(openDeployment(), {
      redirect_uris: [REDIRECT_URI, 'https://client.example/other'],
    })
    expect(messageOf(await client.authorize(undefined, { redirect_uri: undefined }))).toBe(400)
  })

  it('is rejected with a page and status 400 when the id was sealed by another server', async () => {
    verifies('authorization-discovery/credentials-of-another-issuer')
    const { id } = await AuthClient.register(openDeployment())
    expect(messageOf(await new AuthClient(openDeployment(), id).authorize())).toBe(400)
  })

  it('is rejected with a page and status 400 when the registration is 90 days old', async () => {
    const client = await AuthClient.register(openDeployment())
    advance(90 * DAY_MS - 1)
    expect((await client.authorize()).status).toBe(200)
    advance(1)
    expect(messageOf(await client.authorize())).toBe(400)
  })

  it('is answered with a page and status 500 when the client cannot be looked up', async () => {
    const bindings = createBindings()
    const client = await AuthClient.register(openDeployment({}, { bindings }))
    const down = failCalls(bindings, ['keyring'], new Error('the keyring is down'))
    const broken = openDeployment({}, { bindings: down })
    const page = await client.at(broken).authorize()
    expect(messageOf(page)).toBe(500)
    expect(page.html).not.toContain('keyring')
    expect(broken.events).toContainEqual({ type: 'internal-error', error: expect.any(Error) })
  })
})

describe('an authorization request of a client with a metadata document', () => {
  const ID = 'https://client.example/oauth/client.json'
  const DOCUMENT = { client_id: ID, client_name: 'A document', redirect_uris: [REDIRECT_URI] }

  const authorizeWith = (respond: () => Response) => {
    const asked = interceptOutbound(respond)
    const server = openDeployment()
    return { asked, authorize: () => new AuthClient(server, ID).authorize() }
  }

  it('shows a page with status 400 when the document is deleted before the approval', async () => {
    let respond = () => Response.json(DOCUMENT, { headers: { 'cache-control': 'no-store' } })
    interceptOutbound(() => respond())
    const server = openDeployment()
    const browser = new Browser(server)
    const page = await new AuthClient(server, ID).authorize(browser)
    respond = () => new Response(null, { status: 404 })
    advance(5 * 60_000)
    const answer = await browser.decide(page, 'approve', { passphrase: PASSPHRASE })
    expect(messageOf(answer)).toBe(400)
    expect(answer.html).toContain(`${ID} does not exist`)
  })

  it('shows the consent page with the host of the document', async () => {
    const { authorize, asked } = authorizeWith(() => Response.json(DOCUMENT))
    const page = await authorize()
    expect([page.status, page.actions]).toEqual([200, ['/authorize/decision']])
    expect(page.html).toContain('A document')
    expect(page.html).toContain('client.example')
    expect(asked).toEqual([ID])
  })

  it.each([
    ['400 when there is no document', 400, () => new Response(null, { status: 404 })],
    ['400 when the document names another client', 400, () => Response.json({ client_id: 'x' })],
    [
      '400 when the document has no name',
      400,
      () => Response.json({ ...DOCUMENT, client_name: '' }),
    ],
    ['503 when the host cannot be reached', 503, () => new Response(null, { status: 500 })],
  ])('is rejected with a page that names its URL, and status %s', async (_, status, respond) => {
    const page = await authorizeWith(respond).authorize()
    expect(messageOf(page)).toBe(status)
    expect(page.html).toContain(ID)
  })

  it.each([
    ['the host had failed', () => new Response(null, { status: 500 })],
    ['there was no document', () => new Response(null, { status: 404 })],
    ['the document was not valid', () => Response.json({ client_id: 'x' })],
  ])('shows the consent page at the next try when %s', async (_, failure) => {
    verifies('client-id-metadata-documents/error-responses-are-not-cached')
    verifies('client-id-metadata-documents/invalid-documents-are-not-cached')
    const answers = [failure, () => Response.json(DOCUMENT)]
    const { authorize } = authorizeWith(() => answers.shift()?.() ?? Response.error())
    await authorize()
    const page = await authorize()
    expect([page.status, page.actions]).toEqual([200, ['/authorize/decision']])
  })

  it('asks the host for a document that is missing at most five times a minute', async () => {
    const { authorize, asked } = authorizeWith(() => new Response(null, { status: 404 }))
    for (let at = 0; at < 8; at += 1) await authorize()
    expect(asked).toHaveLength(5)
    advance(60_000)
    await authorize()
    expect(asked).toHaveLength(6)
  })
})
