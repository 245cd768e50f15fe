/** Faults of an authorization request that the client reads, because the redirect URI is its own. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { errorWith, linkedErrorOf, messageOf, redirectOf } from './support/answers.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, CHALLENGE, REDIRECT_URI } from './support/client.ts'
import { openDeployment } from './support/deployment.ts'
import { interceptOutbound } from './support/outbound.ts'
import { SECRET_HASH } from './support/static-clients.ts'

const REFUSED = { to: 'https://client.example/callback', iss: 'https://mcp.example.com' }
const JKT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'

describe('the authorization endpoint', () => {
  it.each([
    ['with response_mode=query', { response_mode: 'query' }],
    ['without response_mode', { response_mode: undefined }],
    ['without state', { state: undefined }],
    ['with a state of 4,096 characters', { state: 's'.repeat(4096) }],
    ['with dpop_jkt', { dpop_jkt: JKT }],
    ['with a parameter that it does not know', { prompt: 'consent' }],
    ['with a parameter that is empty', { request_uri: '' }],
  ])('accepts a request %s', async (_, changes) => {
    verifies('oauth-2-1-endpoints/unknown-parameters-of-authorization')
    verifies('oauth-2-1-endpoints/empty-parameters')
    const client = await AuthClient.register(openDeployment())
    const { status, actions } = await client.authorize(undefined, changes)
    expect([status, actions]).toEqual([200, ['/authorize/decision']])
  })

  it.each([
    ['without response_type', { response_type: undefined }, 'invalid_request'],
    ['with an empty response_type', { response_type: '' }, 'invalid_request'],
    ['with response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['with a hybrid response_type', { response_type: 'code token' }, 'unsupported_response_type'],
    ['with response_mode=fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['with response_mode=form_post', { response_mode: 'form_post' }, 'invalid_request'],
    ['with a request object', { request: 'e30.e30.' }, 'invalid_request'],
    ['with request_uri', { request_uri: 'https://client.example/r' }, 'invalid_request'],
    ['with a dpop_jkt of 42 characters', { dpop_jkt: JKT.slice(1) }, 'invalid_request'],
    ['with a dpop_jkt in base64', { dpop_jkt: `+${JKT.slice(1)}` }, 'invalid_request'],
  ])('refuses a request %s with the error', async (_, changes, error) => {
    verifies('oauth-2-1-endpoints/error-codes', 'oauth-2-1-endpoints/error-characters')
    verifies('oauth-2-1-endpoints/error-uri', 'oauth-2-1-grants/response-type')
    verifies('oauth-2-0/response-type-values', 'issuer-identification/iss')
    verifies('oauth-2-0/implicit-grant', { row: 'with response_type=token' })
    verifies('oauth-2-0/implicit-refresh', { row: 'with response_type=token' })
    const client = await AuthClient.register(openDeployment())
    expect(linkedErrorOf(await client.authorize(undefined, changes))).toEqual(errorWith(error))
  })

  it('refuses a state of 4,097 characters with invalid_request and the state', async () => {
    const client = await AuthClient.register(openDeployment())
    const state = 's'.repeat(4097)
    expect(linkedErrorOf(await client.authorize(undefined, { state }))).toEqual({
      ...REFUSED,
      state,
      error: 'invalid_request',
    })
  })

  it.each([
    ['state', undefined],
    ['a value of state', ''],
  ])('leaves state out of the error of a request without %s', async (_, state) => {
    verifies('oauth-2-1-endpoints/empty-parameters')
    const client = await AuthClient.register(openDeployment())
    const changes = { state, response_type: undefined }
    expect(linkedErrorOf(await client.authorize(undefined, changes))).toEqual({
      ...REFUSED,
      error: 'invalid_request',
    })
  })

  it.each([
    ['code_challenge', `&code_challenge=${CHALLENGE}`],
    ['scope', '&scope=read&scope=read'],
    ['an unknown parameter', '&x=1&x=2'],
  ])('refuses a request that has %s twice with invalid_request', async (_, more) => {
    verifies('oauth-2-1-endpoints/unknown-parameters-of-authorization')
    verifies('oauth-2-1-endpoints/repeated-parameters-of-authorization')
    const server = openDeployment()
    const path = (await AuthClient.register(server)).authorizePath()
    expect(linkedErrorOf(await new Browser(server).get(`${path}${more}`))).toEqual(
      errorWith('invalid_request'),
    )
  })

  it('refuses a request that has state twice with invalid_request and no state', async () => {
    verifies('oauth-2-1-endpoints/repeated-parameters-of-authorization')
    const server = openDeployment()
    const path = (await AuthClient.register(server)).authorizePath()
    expect(linkedErrorOf(await new Browser(server).get(`${path}&state=other`))).toEqual({
      ...REFUSED,
      error: 'invalid_request',
    })
  })

  it.each([
    ['an invalid byte', '&state=%FF'],
    ['an invalid byte beside U+FFFD', '&state=%EF%BF%BD%FF'],
    ['an incomplete character', '&state=%F0%9F%98'],
    ['an incomplete character before U+FFFD', '&state=%F0%9F%EF%BF%BD'],
    ['a surrogate', '&state=%ED%A0%80'],
    ['an invalid byte, with U+FFFD in another parameter', '&state=%FF&x=%EF%BF%BD'],
    ['an invalid byte, with U+FFFD in an earlier parameter', '&x=%EF%BF%BD&state=%FF'],
    ['an invalid byte, with U+FFFD in the name of another', '&%EF%BF%BDstate=1&state=%FF'],
    ['an invalid byte under an encoded name', '&st%61te=%FF&x=%EF%BF%BD'],
  ])('refuses a state with %s with invalid_request and no state', async (_, more) => {
    verifies('oauth-2-1-security/input-validation')
    const server = openDeployment()
    const path = (await AuthClient.register(server)).authorizePath({ state: undefined })
    expect(linkedErrorOf(await new Browser(server).get(`${path}${more}`))).toEqual({
      ...REFUSED,
      error: 'invalid_request',
    })
  })

  it.each([
    ...['%EF%BF%BD', '%ef%bf%bd%EF%BF%BD', 'a%25FFb', '100%', '%zz', '+%20+', '\ufffd'],
    '%22%3E%3Cscript%3Ealert(1)%3C/script%3E',
    '%00%0D%0Aset-cookie:%20a=b%F0%9F%98%80%26code=evil%23x',
  ])('returns the state %s as the client sent it', async (encoded) => {
    verifies('oauth-2-1-grants/state-is-returned', 'oauth-2-1-security/input-validation')
    const server = openDeployment()
    const path = (await AuthClient.register(server)).authorizePath({ state: undefined })
    const browser = new Browser(server)
    const page = await browser.get(`${path}&x=1&state=${encoded}`)
    const { location } = await browser.decide(page, 'deny')
    const sent = new URLSearchParams(`state=${encoded}`).get('state')
    expect(new URL(location ?? '').searchParams.getAll('state')).toEqual([sent])
    expect(new URL(location ?? '').searchParams.has('code')).toBe(false)
  })

  it('redirects a client that may not use codes with unauthorized_client', async () => {
    const server = openDeployment({
      clients: [
        {
          id: 'machine',
          secretHash: SECRET_HASH,
          grantTypes: ['client_credentials'],
          redirectUris: [REDIRECT_URI],
        },
      ],
    })
    const machine = new AuthClient(server, 'machine')
    expect(redirectOf(await machine.authorize())).toEqual(errorWith('unauthorized_client'))
  })

  it('appends its answer to a redirect URI that has a query', async () => {
    verifies('oauth-2-1-clients/redirect-uri-is-absolute')
    const redirect_uri = 'https://client.example/callback?tenant=a%20b'
    const server = openDeployment()
    const client = await AuthClient.register(server, { redirect_uris: [redirect_uri] })
    const browser = new Browser(server)
    const page = await client.authorize(browser, { redirect_uri })
    const { location } = await browser.decide(page, 'deny')
    expect(location).toMatch(
      /^https:\/\/client\.example\/callback\?tenant=a%20b&error=access_denied&/,
    )
  })
})

describe('an error of an authorization request', () => {
  const DOCUMENT_ID = 'https://client.example/oauth/client.json'
  const WRONG = { response_type: 'token' }

  it.each(['http://127.0.0.1/callback', 'http://localhost:4711/cb'])(
    'is redirected to the program at %s, which waits for it',
    async (redirect_uri) => {
      verifies('authorization-security/untrusted-redirects')
      const server = openDeployment()
      const client = await AuthClient.register(server, { redirect_uris: [redirect_uri] })
      const page = await client.authorize(undefined, { ...WRONG, redirect_uri })
      expect(page.status).toBe(303)
      expect(page.location).toContain(`${redirect_uri}?error=unsupported_response_type&`)
    },
  )

  it.each(['com.example.app:/callback', 'cursor://oauth/callback', 'myapp://run?x=1'])(
    'is shown with a link to the app at %s, which no redirect opens',
    async (redirect_uri) => {
      verifies('authorization-security/untrusted-redirects')
      const server = openDeployment()
      const client = await AuthClient.register(server, { redirect_uris: [redirect_uri] })
      const page = await client.authorize(undefined, { ...WRONG, redirect_uri })
      expect(messageOf(page)).toBe(400)
      const mark = redirect_uri.includes('?') ? '&amp;' : '?'
      expect(page.html).toContain(
        `href="${redirect_uri}${mark}error=unsupported_response_type&amp;`,
      )
    },
  )

  it('is redirected to the web site of a configured client', async () => {
    const clients = [{ id: 'public', redirectUris: [REDIRECT_URI] }]
    const client = new AuthClient(openDeployment({ clients }), 'public')
    expect(redirectOf(await client.authorize(undefined, WRONG))).toEqual(
      errorWith('unsupported_response_type'),
    )
  })

  it('is shown with a link to the web site of a client with a metadata document', async () => {
    verifies('authorization-security/untrusted-redirects')
    verifies('oauth-2-1-security/sign-in-before-redirect')
    verifies('oauth-security-practice/open-redirectors')
    verifies('oauth-security-practice/sign-in-before-redirect')
    interceptOutbound(() =>
      Response.json({ client_id: DOCUMENT_ID, client_name: 'D', redirect_uris: [REDIRECT_URI] }),
    )
    const page = await new AuthClient(openDeployment(), DOCUMENT_ID).authorize(undefined, WRONG)
    expect(linkedErrorOf(page)).toEqual(errorWith('unsupported_response_type'))
  })

  it('is shown to a signed-in person too', async () => {
    verifies('oauth-2-1-security/sign-in-before-redirect')
    verifies('oauth-security-practice/sign-in-before-redirect')
    const server = openDeployment()
    const browser = new Browser(server)
    await browser.signIn()
    const client = await AuthClient.register(server)
    const path = client.authorizePath(WRONG)
    const page = await browser.get(path, { 'sec-fetch-site': 'none' })
    expect(linkedErrorOf(page).error).toBe('unsupported_response_type')
  })

  it('is shown as text when the state has markup and the redirect URI a query', async () => {
    const redirect_uri = 'https://client.example/callback?a=1&b=()'
    const server = openDeployment()
    const client = await AuthClient.register(server, { redirect_uris: [redirect_uri] })
    const state = `"><script>alert(1)</script>&error=none#'`
    const page = await client.authorize(undefined, { ...WRONG, redirect_uri, state })
    expect(page.html).not.toContain('<script')
    const [, href = ''] = /<a href="([^"]*)"/.exec(page.html) ?? []
    const url = new URL(href.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
    expect(url.href.startsWith(redirect_uri)).toBe(true)
    expect(url.searchParams.getAll('error')).toEqual(['unsupported_response_type'])
    expect(url.searchParams.get('state')).toBe(state)
  })

  it('is reported to telemetry, with the status of the answer', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server, {
      redirect_uris: [REDIRECT_URI, 'http://127.0.0.1/callback'],
    })
    for (const redirect_uri of [REDIRECT_URI, 'http://127.0.0.1/callback']) {
      await client.authorize(undefined, { ...WRONG, redirect_uri })
    }
    const refusal = { type: 'refusal', name: 'unsupported_response_type' }
    const message = 'response_type must be code'
    expect(server.events).toEqual([
      { ...refusal, status: 400, message },
      { ...refusal, status: 303, message },
    ])
  })
})
