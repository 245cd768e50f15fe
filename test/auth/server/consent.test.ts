/** The consent page, and consents that are remembered. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders } from './support/answers.ts'
import { Browser, fieldOf } from './support/browser.ts'
import { AuthClient, codeOf, REDIRECT_URI } from './support/client.ts'
import { advance, NOW, openDeployment } from './support/deployment.ts'
import { authorize, DIRECT, open, pageText, type Steps } from './support/flow.ts'
import { interceptOutbound } from './support/outbound.ts'
import { OpenIdProvider } from './support/provider.ts'

const HOUR_MS = 3_600_000

describe('the consent page', () => {
  it('asks for the passphrase and carries the sealed question', async () => {
    verifies('oauth-2-1-endpoints/resource-owner-is-authenticated')
    const { html } = (await authorize()).page
    expect(html).toContain('A client')
    expect(html).toContain('https://mcp.example.com/mcp')
    expect(html).toContain('Read notes')
    expect(html).toMatch(/<input[^>]* name="passphrase" type="password"/)
    expect(fieldOf(html, 'transaction')).toMatch(/^[\w.-]+$/)
    expect(fieldOf(html, 'csrf')).toMatch(/^[\w-]{43}$/)
  })

  it('shows the host of the redirect URI for a client without a name', async () => {
    verifies('authorization-security/redirect-host-is-displayed')
    verifies('authorization-security-practices/consent-page-shows-redirect')
    const { page } = await authorize({ metadata: { client_name: undefined } })
    expect(page.html).toMatch(/<h1><bdi>client\.example<\/bdi>/)
  })

  it('shows a host of 253 characters in full, because its end says whom it belongs to', async () => {
    const host = `claude.ai.${`${'a'.repeat(62)}.`.repeat(3)}${'b'.repeat(41)}.evil.example`
    expect(host).toHaveLength(253)
    const redirect_uri = `https://${host}:8443/callback`
    const { client } = await open({ metadata: { redirect_uris: [redirect_uri] } })
    const shown = `<bdi dir="ltr" class="code">${host}:8443</bdi>`
    expect((await client.authorize(undefined, { redirect_uri })).html).toContain(shown)
    const error = await client.authorize(undefined, { redirect_uri, scope: 'other' })
    expect(error.html).toContain(`Return the error to ${shown}`)
  })

  it('shows who is signed in, asks for no passphrase and offers to sign out', async () => {
    const { page, text } = await authorize({ signedIn: true })
    expect(text).toBe('signed-in question')
    expect(page.html).toContain('<bdi>owner</bdi>')
    expect(page.html).not.toContain('name="passphrase"')
  })

  it('names the provider where people sign in elsewhere, and then a person without a name', async () => {
    const provider = await OpenIdProvider.start()
    provider.claims = { name: undefined }
    const { page, text, browser, client, server } = await authorize({ login: provider.login() })
    expect(text).toBe('question')
    expect(page.html).toContain('Example')
    expect(page.html).not.toContain('name="passphrase"')
    const sent = await browser.decide(page, 'approve')
    await browser.get(provider.visit(sent.location).callback)
    // The login of the server has changed since.
    const changed = openDeployment({}, { bindings: server.bindings })
    const again = await client.at(changed).authorize(browser.at(changed))
    expect(again.html).toContain('<bdi>ada</bdi>')
  })

  it('is replaced by a page with status 503 when no passphrase is set', async () => {
    expect((await authorize({ login: undefined })).text).toBe('message 503')
  })

  it('asks for the press of a button on a loopback host without a passphrase', async () => {
    const local = 'http://localhost:8787'
    const { client, server } = await open({ origin: local, login: undefined })
    const browser = new Browser(server, local)
    const page = await client.authorize(browser)
    expect(page.actions).toEqual(['/authorize/decision'])
    expect(page.html).not.toContain('name="passphrase"')
    const { status, location } = await browser.decide(page, 'approve')
    expect([status, codeOf({ status, location })]).toEqual([303, expect.any(String)])
    expect(new URL(location ?? '').searchParams.get('iss')).toBe(local)
  })
})

describe('a consent given after a direct navigation (Sec-Fetch-Site: none)', () => {
  /** Approves a client with a secret once, directly unless `steps` say otherwise. */
  async function approved({ headers = DIRECT, ...steps }: Steps = {}) {
    const { metadata, ...setting } = steps
    const opened = await open({
      ...{ kind: 'secret', signedIn: true, app: { otherPaths: ['/other'] } },
      metadata: {
        redirect_uris: [
          ...[REDIRECT_URI, 'https://client.example/other'],
          ...['http://127.0.0.1/callback', 'cursor://oauth/callback', 'myapp://callback'],
          'com.example.app:/callback',
        ],
        ...metadata,
      },
      ...setting,
    })
    const { client, browser } = opened
    const page = await browser.get(client.authorizePath(steps.authorize), headers)
    codeOf(await browser.decide(page, 'approve'))
    const again = async (more: Steps['authorize'] = {}, how: Steps['headers'] = DIRECT) => {
      const asked = { ...steps.authorize, ...more }
      return pageText(await browser.get(client.authorizePath(asked), how), asked)
    }
    return { ...opened, again }
  }

  it('is remembered: the next request receives a code without a question', async () => {
    verifies('authorization-security-practices/consent-decisions-are-stored-securely')
    const { client, browser, again } = await approved()
    expect(await again({ state: 'another-state' })).toBe('code')
    const page = await browser.get(client.authorizePath(), DIRECT)
    expect((await client.redeem(codeOf(page))).status).toBe(200)
  })

  it('covers the same scopes in another order', async () => {
    const { again } = await approved({ authorize: { scope: 'read write' } })
    expect(await again({ scope: 'write read' })).toBe('code')
  })

  it.each<[string, Steps['authorize'], Steps['headers']?]>([
    ['other scopes', { scope: 'read' }],
    ['another resource', { resource: 'https://mcp.example.com/other' }],
    ['another redirect URI', { redirect_uri: 'https://client.example/other' }],
    ['a request of a page of another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['a request of a page of this site', {}, { 'sec-fetch-site': 'same-origin' }],
    ['a request of a browser that does not say', {}, {}],
    ['a browser that prefetches', {}, { ...DIRECT, 'sec-purpose': 'prefetch' }],
    ['a browser that prerenders', {}, { ...DIRECT, 'sec-purpose': 'prefetch;prerender' }],
  ])('does not cover %s', async (_, changes, headers) => {
    verifies('authorization-security-practices/approved-clients')
    verifies('authorization-security-practices/consent-is-for-a-client')
    verifies('oauth-2-0/csrf-at-authorization')
    const { again } = await approved()
    expect(await again(changes, headers)).toBe('signed-in question')
  })

  it('does not cover another registration of the same client', async () => {
    const { server, browser } = await approved()
    const other = await AuthClient.register(server)
    const page = await browser.get(other.authorizePath(), DIRECT)
    expect(pageText(page)).toBe('signed-in question')
  })

  it.each<[string, Steps]>([
    ['a request of a page of another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['a loopback redirect URI', { authorize: { redirect_uri: 'http://127.0.0.1/callback' } }],
    [
      'the redirect URI of a known app (RFC 8252, section 8.6)',
      { authorize: { redirect_uri: 'cursor://oauth/callback' } },
    ],
    ['the redirect URI of any app', { authorize: { redirect_uri: 'myapp://callback' } }],
    ['an app with a domain name', { authorize: { redirect_uri: 'com.example.app:/callback' } }],
    ['a registered client without credentials', { kind: 'registered' }],
  ])('is not remembered for %s', async (_, steps) => {
    verifies('oauth-2-0/public-clients-are-not-identified')
    const { again } = await approved(steps)
    expect(await again()).toBe('signed-in question')
  })

  it.each([
    [
      'is remembered',
      303,
      'document is on the origin of its redirect URI',
      'https://client.example/id',
    ],
    ['is not remembered', 200, 'document is on another host', 'https://other.example/id'],
    ['is not remembered', 200, 'document is on a subdomain', 'https://app.client.example/id'],
    ['is not remembered', 200, 'id is in the configuration', 'public'],
  ])('%s (%i) for a client without credentials whose %s', async (_, status, __, id) => {
    interceptOutbound(() =>
      Response.json({ client_id: id, client_name: 'D', redirect_uris: [REDIRECT_URI] }),
    )
    const server = openDeployment({ clients: [{ id: 'public', redirectUris: [REDIRECT_URI] }] })
    const browser = new Browser(server)
    await browser.signIn()
    const path = new AuthClient(server, id).authorizePath()
    codeOf(await browser.decide(await browser.get(path, DIRECT), 'approve'))
    expect((await browser.get(path, DIRECT)).status).toBe(status)
  })

  it('does not answer for a person who is no longer signed in', async () => {
    const { again } = await approved()
    advance(12 * HOUR_MS)
    expect(Date.now()).toBe(NOW + 12 * HOUR_MS)
    expect(await again()).toBe('question')
  })

  it('is asked for again where people sign in elsewhere', async () => {
    verifies('authorization-security/consent-before-third-party')
    verifies('authorization-security-practices/per-client-consent')
    const provider = await OpenIdProvider.start()
    const opened = await authorize({ login: provider.login(), headers: DIRECT })
    const { browser, client, page } = opened
    const sent = await browser.decide(page, 'approve')
    codeOf(await browser.get(provider.visit(sent.location).callback))
    const again = await browser.get(client.authorizePath(), DIRECT)
    expectPageHeaders(again)
    expect([again.status, again.actions]).toEqual([200, ['/authorize/decision']])
  })
})
