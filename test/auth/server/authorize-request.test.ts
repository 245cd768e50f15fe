/** Authorization requests by rows: what each is answered with, to the person or to the client. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders, messageOf } from './support/answers.ts'
import { Browser, type Fields } from './support/browser.ts'
import { AuthClient, CHALLENGE, REDIRECT_URI } from './support/client.ts'
import { advance, createBindings, openDeployment, PASSPHRASE } from './support/deployment.ts'
import { authorize, DIRECT, DOCUMENT, DOCUMENT_ID, decide, NO_STATE, open } from './support/flow.ts'
import { interceptOutbound } from './support/outbound.ts'
import { failCalls } from './support/scoped-objects.ts'
import { MACHINE, SECRET_HASH } from './support/static-clients.ts'

const DAY_MS = 86_400_000
const JKT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'
const WRONG = { response_type: 'token' }
const UNSUPPORTED = 'unsupported_response_type'
const LOOPBACK = 'http://127.0.0.1/callback'
const MCP = 'https://mcp.example.com/mcp'
const EVIL = 'https://evil.example'

type Row = readonly [title: string, text: string, changes: Fields]
const rows = (text: string, ...all: readonly (readonly [string, Fields])[]) =>
  all.map(([title, changes]): Row => [title, text, changes])

describe('an authorization request of a registered client', () => {
  it.each([
    ...rows(
      'question',
      ['with response_mode=query', { response_mode: 'query' }],
      ['without response_mode', { response_mode: undefined }],
      ['without state', { state: undefined }],
      ['with a state of 4,096 characters', { state: 's'.repeat(4096) }],
      ['with dpop_jkt', { dpop_jkt: JKT }],
      ['with a parameter that the server does not know', { prompt: 'consent' }],
      ['with a parameter that is empty', { request_uri: '' }],
      ['without redirect_uri, of which it has one', { redirect_uri: undefined }],
    ),
    ...rows(
      'message 400',
      ['without client_id', { client_id: undefined }],
      ['with an empty client_id', { client_id: '' }],
      ['with the id of an unknown client', { client_id: 'made-up' }],
      ['with a client_id that is script', { client_id: '<script>alert(1)</script>' }],
      ['with a client_id that has a NUL', { client_id: 'a\u0000' }],
      ['with a client_id of 4,097 characters', { client_id: 'x'.repeat(4097) }],
      ['with another redirect URI', { redirect_uri: `${EVIL}/callback` }],
      ['with a slash more in the redirect URI', { redirect_uri: `${REDIRECT_URI}/` }],
      ['with a look-alike host', { redirect_uri: 'https://client.example.evil.example/callback' }],
      ['with a fragment in the redirect URI', { redirect_uri: `${REDIRECT_URI}#x` }],
      ['with a redirect URI that is script', { redirect_uri: 'javascript:alert(1)' }],
    ),
    ...rows(
      'link invalid_request',
      ['without response_type', { response_type: undefined }],
      ['with an empty response_type', { response_type: '' }],
      ['with response_mode=fragment', { response_mode: 'fragment' }],
      ['with response_mode=form_post', { response_mode: 'form_post' }],
      ['with a request object', { request: 'e30.e30.' }],
      ['with request_uri', { request_uri: 'https://client.example/r' }],
      ['with a dpop_jkt of 42 characters', { dpop_jkt: JKT.slice(1) }],
      ['with a dpop_jkt in base64', { dpop_jkt: `+${JKT.slice(1)}` }],
      ['with a state of 4,097 characters', { state: 's'.repeat(4097) }],
      ['without response_type and with an empty state', { state: '', response_type: undefined }],
      ['without response_type and state', { state: NO_STATE, response_type: undefined }],
      ['without code_challenge_method', { code_challenge_method: undefined }],
      ['with the method plain', { code_challenge_method: 'plain' }],
      ['with the method s256 in lower case', { code_challenge_method: 's256' }],
      ['without code_challenge', { code_challenge: undefined }],
      ['with an empty code_challenge', { code_challenge: '' }],
      ['with a code_challenge of 42 characters', { code_challenge: CHALLENGE.slice(1) }],
      ['with a code_challenge of 44 characters', { code_challenge: `${CHALLENGE}A` }],
      ['with a padded code_challenge', { code_challenge: `${CHALLENGE}=` }],
      ['with a code_challenge in base64', { code_challenge: `+${CHALLENGE.slice(1)}` }],
    ),
    ...rows(
      `link ${UNSUPPORTED}`,
      ['with response_type=token', WRONG],
      ['with a hybrid response_type', { response_type: 'code token' }],
    ),
    ...rows(
      'link invalid_scope',
      ['for scopes of which none exists', { scope: 'notes openid' }],
      ['for a scope that differs in case', { scope: 'Read' }],
      ['for a scope with a line break', { scope: 'read\nwrite' }],
      ['for a scope with quotes', { scope: '"read"' }],
      ['for a scope that begins with a space', { scope: ' read' }],
      ['for a scope that ends with a space', { scope: 'read ' }],
      ['for a scope that is not ASCII', { scope: 'réad' }],
      ['for a scope of 1,025 characters', { scope: `read ${'x'.repeat(1020)}` }],
    ),
    ...rows(
      'link invalid_target',
      ['for a path that is not served', { resource: 'https://mcp.example.com/nothing' }],
      ['for a path below the endpoint', { resource: 'https://mcp.example.com/mcp/x' }],
      ['for the path in another case', { resource: 'https://mcp.example.com/MCP' }],
      ['for a resource of another origin', { resource: `${EVIL}/mcp` }],
      ['for a resource at another port', { resource: 'https://mcp.example.com:8443/mcp' }],
      ['for a resource over plain http', { resource: 'http://mcp.example.com/mcp' }],
      ['for a resource with a query', { resource: 'https://mcp.example.com/mcp?x=1' }],
      ['for a resource with a fragment', { resource: 'https://mcp.example.com/mcp#x' }],
      ['for a resource that is no URL', { resource: 'mcp' }],
    ),
  ])('%s is answered with: %s', async (_, text, changes) => {
    verifies('authorization/pkce', 'authorization-security/client-pkce', 'native-apps/pkce')
    verifies('oauth-2-1-grants/code-challenge', 'oauth-2-1-grants/unsupported-method')
    verifies('oauth-2-1-grants/verifier-without-challenge', 'pkce/code-challenge')
    verifies('oauth-2-1-security/verifier-against-injection', 'oauth-2-1-grants/s256')
    verifies('oauth-security-practice/code-injection', 'oauth-security-practice/pkce-downgrade')
    verifies('pkce/s256-is-implemented', 'oauth-security-practice/pkce-support')
    verifies('pkce/challenge-is-required', { row: 'without code_challenge' })
    verifies('pkce/unsupported-method', { row: 'with the method s256 in lower case' })
    verifies('pkce/plain', { row: 'with the method plain' })
    verifies('authorization-discovery/client-id', 'oauth-2-1-clients/no-redirect-to-invalid-uris')
    verifies('oauth-2-1-grants/client-id-of-requests')
    verifies('oauth-2-1-security/server-as-open-redirector', 'issuer-identification/iss')
    verifies('oauth-2-1-endpoints/error-codes', 'oauth-2-1-endpoints/error-characters')
    verifies('oauth-2-1-endpoints/error-uri', 'oauth-2-1-grants/response-type')
    verifies('oauth-2-0/response-type-values')
    verifies('oauth-2-0/implicit-grant', { row: 'with response_type=token' })
    verifies('oauth-2-0/implicit-refresh', { row: 'with response_type=token' })
    verifies('resource-indicators/absolute-uri', { row: 'for a resource that is no URL' })
    verifies('resource-indicators/no-fragment', { row: 'for a resource with a fragment' })
    const { page, text: answered } = await authorize({ authorize: changes })
    expect(answered).toBe(text)
    if (text.startsWith('message')) expect(page.html).not.toMatch(/evil|<script/)
  })

  it.each<[string, string, string, string?]>([
    ['code_challenge twice', 'link invalid_request', `&code_challenge=${CHALLENGE}`],
    ['scope twice', 'link invalid_request', '&scope=read&scope=read'],
    ['an unknown parameter twice', 'link invalid_request', '&x=1&x=2'],
    ['prompt twice', 'link invalid_request', '&prompt=none&prompt=login'],
    ['state twice', 'link invalid_request', '&state=a&state=b', NO_STATE],
    ['client_id twice', 'message 400', '&client_id=other'],
    ['redirect_uri twice', 'message 400', `&redirect_uri=${encodeURIComponent(EVIL)}`],
    ['resource twice', 'link invalid_target', `&resource=${MCP}&resource=${MCP}`],
    ...(
      [
        ['an invalid byte', '&state=%FF'],
        ['an invalid byte beside U+FFFD', '&state=%EF%BF%BD%FF'],
        ['an incomplete character', '&state=%F0%9F%98'],
        ['an incomplete character before U+FFFD', '&state=%F0%9F%EF%BF%BD'],
        ['a surrogate', '&state=%ED%A0%80'],
        ['an invalid byte, with U+FFFD in another parameter', '&state=%FF&x=%EF%BF%BD'],
        ['an invalid byte, with U+FFFD in an earlier parameter', '&x=%EF%BF%BD&state=%FF'],
        ['an invalid byte, with U+FFFD in the name of another', '&%EF%BF%BDstate=1&state=%FF'],
        ['an invalid byte under an encoded name', '&st%61te=%FF&x=%EF%BF%BD'],
      ] as const
    ).map(([title, query]): [string, string, string, string] => [
      `a state with ${title}`,
      'link invalid_request',
      query,
      NO_STATE,
    ]),
  ])('with %s is answered with: %s', async (_, text, query, state) => {
    verifies('oauth-2-1-endpoints/unknown-parameters-of-authorization')
    verifies('oauth-2-1-endpoints/repeated-parameters-of-authorization')
    verifies('oauth-2-1-security/input-validation', 'jwt-access-tokens/ambiguous-tokens')
    const changes = state === undefined ? {} : { state }
    expect((await authorize({ authorize: changes, query })).text).toBe(text)
  })

  it.each([
    ...['%EF%BF%BD', '%ef%bf%bd%EF%BF%BD', 'a%25FFb', '100%', '%zz', '+%20+', '\ufffd'],
    '%22%3E%3Cscript%3Ealert(1)%3C/script%3E',
    '%00%0D%0Aset-cookie:%20a=b%F0%9F%98%80%26code=evil%23x',
  ])('receives the state %s as the client sent it', async (encoded) => {
    verifies('oauth-2-1-grants/state-is-returned')
    const state = new URLSearchParams(`state=${encoded}`).get('state') ?? ''
    const query = `&x=1&state=${encoded}`
    const denied = await decide({ authorize: { state: NO_STATE }, query, decision: 'deny', state })
    expect(denied.text).toBe('redirect access_denied')
    expect(new URL(denied.page.location ?? '').searchParams.getAll('state')).toEqual([state])
  })

  it('shows the consent page with its headers', async () => {
    const { page } = await authorize()
    expectPageHeaders(page)
    expect(page.headers.get('cross-origin-opener-policy')).toBe('unsafe-none')
    expect(page.actions).toEqual(['/authorize/decision'])
  })

  it('may name any port of a loopback redirect URI', async () => {
    verifies('oauth-2-1-clients/loopback-ports', 'native-apps/loopback-ports')
    const metadata = { redirect_uris: [LOOPBACK] }
    const redirect_uri = 'http://127.0.0.1:53682/callback'
    expect((await authorize({ metadata, authorize: { redirect_uri } })).text).toBe('question')
  })

  it('is rejected with a page and status 400 when it must choose a redirect URI', async () => {
    verifies('oauth-2-1-clients/redirect-uri-among-several')
    const metadata = { redirect_uris: [REDIRECT_URI, 'https://client.example/other'] }
    const { text } = await authorize({ metadata, authorize: { redirect_uri: undefined } })
    expect(text).toBe('message 400')
  })

  it('is rejected with a page and status 400 when the id was sealed by another server', async () => {
    verifies('authorization-discovery/credentials-of-another-issuer')
    const { client } = await open()
    expect(messageOf(await client.at(openDeployment()).authorize())).toBe(400)
  })

  it('is rejected with a page and status 400 when the registration is 90 days old', async () => {
    const { client } = await open()
    advance(90 * DAY_MS - 1)
    expect((await client.authorize()).status).toBe(200)
    advance(1)
    expect(messageOf(await client.authorize())).toBe(400)
  })

  it('is answered with a page and status 500 when the client cannot be looked up', async () => {
    const bindings = createBindings()
    const { client } = await open({ bindings })
    const down = failCalls(bindings, ['keyring'], new Error('the keyring is down'))
    const broken = openDeployment({}, { bindings: down })
    const page = await client.at(broken).authorize()
    expect(messageOf(page)).toBe(500)
    expect(page.html).not.toContain('keyring')
    expect(broken.events).toContainEqual({ type: 'internal-error', error: expect.any(Error) })
  })
})

describe('an error of an authorization request', () => {
  it.each<[string, string, string, object]>([
    ['a program on this computer', 'redirect', LOOPBACK, {}],
    ['a program at another port', 'redirect', 'http://localhost:4711/cb', {}],
    ['an app with a domain name', 'link', 'com.example.app:/callback', {}],
    ['a known app', 'link', 'cursor://oauth/callback', {}],
    ['an app with a query', 'link', 'myapp://run?x=1', {}],
    ['a signed-in person', 'link', REDIRECT_URI, { signedIn: true, headers: DIRECT }],
    ['a client with a metadata document', 'link', REDIRECT_URI, { kind: 'document' }],
    ['a configured client', 'redirect', REDIRECT_URI, { kind: 'static' }],
  ])('for %s is answered with a %s to %s', async (_, how, redirect_uri, steps) => {
    verifies('authorization-security/untrusted-redirects')
    verifies('oauth-2-1-security/sign-in-before-redirect')
    verifies('oauth-security-practice/open-redirectors')
    verifies('oauth-security-practice/sign-in-before-redirect')
    const own = redirect_uri === REDIRECT_URI ? {} : { metadata: { redirect_uris: [redirect_uri] } }
    const { page, text, server } = await authorize({
      ...{ ...own, ...steps },
      authorize: { ...WRONG, redirect_uri },
    })
    expect(text).toBe(`${how} ${UNSUPPORTED}`)
    const mark = redirect_uri.includes('?') ? '&' : '?'
    const address = (page.location ?? page.html).replaceAll('&amp;', '&')
    expect(address).toContain(`${redirect_uri}${mark}error=${UNSUPPORTED}&`)
    const status = how === 'link' ? 400 : 303
    const message = 'response_type must be code'
    expect(server.events).toEqual([{ type: 'refusal', name: UNSUPPORTED, status, message }])
  })

  it('is redirected with unauthorized_client to a client that may not use codes', async () => {
    const client = {
      ...{ id: MACHINE.id, secretHash: SECRET_HASH, redirectUris: [REDIRECT_URI] },
      grantTypes: ['client_credentials'] as const,
    }
    const { text } = await authorize({ kind: 'static', clients: [client] })
    expect(text).toBe('redirect unauthorized_client')
  })

  it('is shown as text when the state has markup and the redirect URI a query', async () => {
    const redirect_uri = 'https://client.example/callback?a=1&b=()'
    const state = `"><script>alert(1)</script>&error=none#'`
    const { client } = await open({ metadata: { redirect_uris: [redirect_uri] } })
    const page = await client.authorize(undefined, { ...WRONG, redirect_uri, state })
    expect(page.html).not.toContain('<script')
    const [, href = ''] = /<a href="([^"]*)"/.exec(page.html) ?? []
    const url = new URL(href.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
    expect(url.href.startsWith(redirect_uri)).toBe(true)
    expect(url.searchParams.getAll('error')).toEqual([UNSUPPORTED])
    expect(url.searchParams.get('state')).toBe(state)
  })

  it('is appended to a redirect URI that has a query', async () => {
    const redirect_uri = 'https://client.example/callback?tenant=a%20b'
    const steps = { metadata: { redirect_uris: [redirect_uri] }, authorize: { redirect_uri } }
    const { page } = await decide({ ...steps, decision: 'deny' })
    expect(page.location?.startsWith(`${redirect_uri}&error=access_denied&`)).toBe(true)
  })
})

describe('an authorization request of a client with a metadata document', () => {
  const authorizeWith = (respond: () => Response) => {
    const asked = interceptOutbound(respond)
    const server = openDeployment()
    return { asked, authorize: () => new AuthClient(server, DOCUMENT_ID).authorize() }
  }

  it('shows a page with status 400 when the document is deleted before the approval', async () => {
    let respond = () => Response.json(DOCUMENT, { headers: { 'cache-control': 'no-store' } })
    interceptOutbound(() => respond())
    const server = openDeployment()
    const browser = new Browser(server)
    const page = await new AuthClient(server, DOCUMENT_ID).authorize(browser)
    respond = () => new Response(null, { status: 404 })
    advance(5 * 60_000)
    const answer = await browser.decide(page, 'approve', { passphrase: PASSPHRASE })
    expect(messageOf(answer)).toBe(400)
    expect(answer.html).toContain(`${DOCUMENT_ID} does not exist`)
  })

  it('shows the consent page with the host of the document', async () => {
    const { authorize, asked } = authorizeWith(() => Response.json(DOCUMENT))
    const page = await authorize()
    expect([page.status, page.actions]).toEqual([200, ['/authorize/decision']])
    expect(page.html).toContain('A document')
    expect(page.html).toContain('client.example')
    expect(asked).toEqual([DOCUMENT_ID])
  })

  it.each([
    ['there is no document', 400, () => new Response(null, { status: 404 })],
    ['the document names another client', 400, () => Response.json({ client_id: 'x' })],
    ['it has no name', 400, () => Response.json({ ...DOCUMENT, client_name: '' })],
    ['the host cannot be reached', 503, () => new Response(null, { status: 500 })],
  ])('when %s shows its URL with status %i, and the question at the next try', async (...row) => {
    const [, status, failure] = row
    const answers = [failure, () => Response.json(DOCUMENT)]
    const { authorize } = authorizeWith(() => answers.shift()?.() ?? Response.error())
    const page = await authorize()
    expect(messageOf(page)).toBe(status)
    expect(page.html).toContain(DOCUMENT_ID)
    const again = await authorize()
    expect([again.status, again.actions]).toEqual([200, ['/authorize/decision']])
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
