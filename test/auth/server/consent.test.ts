/** The consent page, and consents that are remembered. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders, messageOf, redirectOf } from './support/answers.ts'
import { Browser, fieldOf } from './support/browser.ts'
import { AuthClient, codeOf, REDIRECT_URI, tokensOf } from './support/client.ts'
import { advance, createBindings, NOW, openDeployment } from './support/deployment.ts'
import { interceptOutbound } from './support/outbound.ts'
import { OpenIdProvider } from './support/provider.ts'

const HOUR_MS = 3_600_000
const DIRECT = { 'sec-fetch-site': 'none' }

describe('the consent page', () => {
  it('asks for the passphrase and carries the sealed question', async () => {
    verifies('oauth-2-1-endpoints/resource-owner-is-authenticated')
    const { html } = await (await AuthClient.register(openDeployment())).authorize()
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
    const client = await AuthClient.register(openDeployment(), { client_name: undefined })
    const { html } = await client.authorize()
    expect(html).toMatch(/<h1><bdi>client\.example<\/bdi>/)
  })

  it('shows a host of 253 characters in full, because its end says whom it belongs to', async () => {
    const host = `claude.ai.${`${'a'.repeat(62)}.`.repeat(3)}${'b'.repeat(41)}.evil.example`
    expect(host).toHaveLength(253)
    const server = openDeployment()
    const redirect_uri = `https://${host}:8443/callback`
    const client = await AuthClient.register(server, { redirect_uris: [redirect_uri] })
    const shown = `<bdi dir="ltr" class="code">${host}:8443</bdi>`
    expect((await client.authorize(undefined, { redirect_uri })).html).toContain(shown)
    const error = await client.authorize(undefined, { redirect_uri, scope: 'other' })
    expect(error.html).toContain(`Return the error to ${shown}`)
  })

  it('shows who is signed in, asks for no passphrase and offers to sign out', async () => {
    const server = openDeployment()
    const browser = new Browser(server)
    await browser.signIn()
    const page = await (await AuthClient.register(server)).authorize(browser)
    expectPageHeaders(page)
    expect(page.actions).toEqual(['/authorize/decision', '/logout'])
    expect(page.html).toContain('<bdi>owner</bdi>')
    expect(page.html).not.toContain('name="passphrase"')
  })

  it('names the provider where people sign in elsewhere', async () => {
    const provider = await OpenIdProvider.start()
    const client = await AuthClient.register(openDeployment({ login: provider.login() }))
    const { html, actions } = await client.authorize()
    expect(actions).toEqual(['/authorize/decision'])
    expect(html).toContain('Example')
    expect(html).not.toContain('name="passphrase"')
  })

  it('names the subject of a person without a name', async () => {
    const provider = await OpenIdProvider.start()
    provider.claims = { name: undefined }
    const elsewhere = openDeployment({ login: provider.login() })
    const browser = new Browser(elsewhere)
    const client = await AuthClient.register(elsewhere)
    const sent = await browser.decide(await client.authorize(browser), 'approve')
    await browser.get(provider.visit(sent.location).callback)
    // The login of the server has changed since.
    const server = openDeployment({}, { bindings: elsewhere.bindings })
    const page = await client.at(server).authorize(browser.at(server))
    expect(page.html).toContain('<bdi>ada</bdi>')
  })

  it('is replaced by a page with status 503 when no passphrase is set', async () => {
    const server = openDeployment({ login: undefined })
    expect(messageOf(await (await AuthClient.register(server)).authorize())).toBe(503)
  })

  it('asks for the press of a button on a loopback host without a passphrase', async () => {
    const local = 'http://localhost:8787'
    const server = openDeployment({ origin: local, login: undefined })
    const client = await AuthClient.register(server)
    const browser = new Browser(server, local)
    const page = await client.authorize(browser)
    expect(page.actions).toEqual(['/authorize/decision'])
    expect(page.html).not.toContain('name="passphrase"')
    expect(redirectOf(await browser.decide(page, 'approve'))).toMatchObject({
      to: 'https://client.example/callback',
      code: expect.any(String),
      iss: 'http://localhost:8787',
    })
  })
})

describe('a consent given after a direct navigation (Sec-Fetch-Site: none)', () => {
  /** Approves a client with a secret once, directly unless `headers` says otherwise. */
  async function approved(
    headers: Readonly<Record<string, string>> = DIRECT,
    changes: Readonly<Record<string, string>> = {},
    metadata: object = {},
  ) {
    const server = openDeployment({}, { app: { otherPaths: ['/other'] } })
    const client = await AuthClient.register(server, {
      redirect_uris: [
        ...[REDIRECT_URI, 'https://client.example/other'],
        ...['http://127.0.0.1/callback', 'cursor://oauth/callback', 'myapp://callback'],
        'com.example.app:/callback',
      ],
      token_endpoint_auth_method: 'client_secret_post',
      ...metadata,
    })
    const browser = new Browser(server)
    await browser.signIn()
    const page = await browser.get(client.authorizePath(changes), headers)
    codeOf(await browser.decide(page, 'approve'))
    const again = (more: Readonly<Record<string, string>> = {}, how = DIRECT) =>
      browser.get(client.authorizePath({ ...changes, ...more }), how)
    return { server, client, browser, again }
  }

  const QUESTION = [200, ['/authorize/decision', '/logout']]

  it('is remembered: the next request receives a code without a question', async () => {
    verifies('authorization-security-practices/consent-decisions-are-stored-securely')
    const { client, again } = await approved()
    const page = await again({ state: 'another-state' })
    expect(redirectOf(page)).toEqual({
      to: 'https://client.example/callback',
      code: expect.any(String),
      state: 'another-state',
      iss: 'https://mcp.example.com',
    })
    expect((await tokensOf(await client.redeem(codeOf(page)))).scope).toBe('read write')
  })

  it('covers the same scopes in another order', async () => {
    const { again } = await approved(DIRECT, { scope: 'read write' })
    expect((await again({ scope: 'write read' })).status).toBe(303)
  })

  it.each([
    ['other scopes', { scope: 'read' }],
    ['another resource', { resource: 'https://mcp.example.com/other' }],
    ['another redirect URI', { redirect_uri: 'https://client.example/other' }],
  ])('does not cover %s', async (_, changes) => {
    verifies('authorization-security-practices/approved-clients')
    verifies('authorization-security-practices/consent-is-for-a-client')
    const { again } = await approved()
    const { status, actions } = await again(changes)
    expect([status, actions]).toEqual(QUESTION)
  })

  it('does not cover another registration of the same client', async () => {
    const { server, browser } = await approved()
    const other = await AuthClient.register(server)
    const { status, actions } = await browser.get(other.authorizePath(), DIRECT)
    expect([status, actions]).toEqual(QUESTION)
  })

  it.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of this site', { 'sec-fetch-site': 'same-origin' }],
    ['a browser that does not say', {}],
    ['a browser that prefetches', { ...DIRECT, 'sec-purpose': 'prefetch' }],
    ['a browser that prerenders', { ...DIRECT, 'sec-purpose': 'prefetch;prerender' }],
  ])('is asked for again when the request comes from %s', async (_, headers) => {
    const { browser, client } = await approved()
    const { status, actions } = await browser.get(client.authorizePath(), headers)
    expect([status, actions]).toEqual(QUESTION)
  })

  it('is not remembered when the first request came from a page of another site', async () => {
    const { again } = await approved({ 'sec-fetch-site': 'cross-site' })
    const { status, actions } = await again()
    expect([status, actions]).toEqual(QUESTION)
  })

  it.each([
    ['a loopback redirect URI', 'http://127.0.0.1/callback'],
    ['the redirect URI of a known app (RFC 8252, section 8.6)', 'cursor://oauth/callback'],
    ['the redirect URI of any app', 'myapp://callback'],
    ['the redirect URI of an app with a domain name', 'com.example.app:/callback'],
  ])('is not remembered for %s', async (_, redirect_uri) => {
    const { again } = await approved(DIRECT, { redirect_uri })
    const { status, actions } = await again()
    expect([status, actions]).toEqual(QUESTION)
  })

  it('is not remembered for a registered client without credentials', async () => {
    verifies('oauth-2-0/public-clients-are-not-identified')
    const { again } = await approved(DIRECT, {}, { token_endpoint_auth_method: 'none' })
    const { status, actions } = await again()
    expect([status, actions]).toEqual(QUESTION)
  })

  it.each([
    ['is remembered', 'on the origin of its redirect URI', 'https://client.example/id', 303],
    ['is not remembered', 'on another host', 'https://other.example/id', 200],
    ['is not remembered', 'on a subdomain', 'https://app.client.example/id', 200],
  ])('%s for a client without credentials whose document is %s', async (_, __, id, status) => {
    interceptOutbound(() =>
      Response.json({ client_id: id, client_name: 'D', redirect_uris: [REDIRECT_URI] }),
    )
    const server = openDeployment()
    const browser = new Browser(server)
    await browser.signIn()
    const path = new AuthClient(server, id).authorizePath()
    const page = await browser.get(path, DIRECT)
    codeOf(await browser.decide(page, 'approve'))
    expect((await browser.get(path, DIRECT)).status).toBe(status)
  })

  it('is not remembered for a client of the configuration without credentials', async () => {
    const server = openDeployment({ clients: [{ id: 'public', redirectUris: [REDIRECT_URI] }] })
    const browser = new Browser(server)
    await browser.signIn()
    const path = new AuthClient(server, 'public').authorizePath()
    codeOf(await browser.decide(await browser.get(path, DIRECT), 'approve'))
    expect((await browser.get(path, DIRECT)).status).toBe(200)
  })

  it('does not answer for a person who is no longer signed in', async () => {
    const { again } = await approved()
    advance(12 * HOUR_MS)
    expect(Date.now()).toBe(NOW + 12 * HOUR_MS)
    const { status, actions, html } = await again()
    expect([status, actions]).toEqual([200, ['/authorize/decision']])
    expect(html).toContain('name="passphrase"')
  })

  it('is asked for again where people sign in elsewhere', async () => {
    verifies('authorization-security/consent-before-third-party')
    verifies('authorization-security-practices/per-client-consent')
    const provider = await OpenIdProvider.start()
    const bindings = createBindings()
    const server = openDeployment({ login: provider.login() }, { bindings })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await browser.get(client.authorizePath(), DIRECT)
    const sent = await browser.decide(page, 'approve')
    codeOf(await browser.get(provider.visit(sent.location).callback))
    const again = await browser.get(client.authorizePath(), DIRECT)
    expect([again.status, again.actions]).toEqual([200, ['/authorize/decision']])
  })
})
