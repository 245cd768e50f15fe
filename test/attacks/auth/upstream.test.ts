/** Hostile responses at the callback of an upstream sign-in. */
import type { ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { Browser, fieldOf } from './browser.ts'
import { authorizeQuery, createVerifier, type Registered, register } from './client.ts'
import { type EgressServer, startEgressServer } from './egress-server.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'
import { type Answer, errorOf } from './send.ts'

let server: ProtectedServer
let egress: EgressServer
let client: Registered
let key: CryptoKey
let otherKey: CryptoKey
/** Changes to the claims of the id token. */
let changes: Record<string, unknown>
let signWith: () => { readonly key: CryptoKey; readonly header: Record<string, unknown> }
let nonce: string

beforeAll(async () => {
  egress = await startEgressServer()
  const pair = await generateKeyPair('ES256', { extractable: true })
  key = pair.privateKey
  otherKey = (await generateKeyPair('ES256')).privateKey
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'provider', alg: 'ES256' }
  const at = (path: string) => `${egress.url}${path}`
  egress.responders.set(at('/.well-known/openid-configuration'), () => ({
    body: JSON.stringify({
      issuer: egress.url,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      jwks_uri: at('/jwks'),
    }),
  }))
  egress.responders.set(at('/jwks'), () => ({ body: JSON.stringify({ keys: [jwk] }) }))
  const respond = async (response: ServerResponse) => {
    const { key, header } = signWith()
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      ...{ iss: egress.url, aud: 'edgeway-fixture', sub: 'alice', nonce, iat: now, exp: now + 60 },
      ...changes,
    }
    const id_token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'provider', ...header })
      .sign(key)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: 'up', token_type: 'Bearer', id_token }))
  }
  egress.responders.set(at('/token'), (_, response) => {
    respond(response).catch((error) => response.destroy(error))
    return undefined
  })
  server = await startProtectedServer({ upstream: egress.url, egress: egress.url })
  client = await register(server.issuer)
})
afterAll(async () => {
  await server?.stop()
  await egress?.stop()
})
beforeEach(() => {
  changes = {}
  signWith = () => ({ key, header: {} })
})

/** Approves in a browser, which is then redirected to the provider. */
async function beginSignIn(
  name?: string,
  browser = new Browser(server.issuer),
): Promise<{ browser: Browser; state: string; nonce: string }> {
  const known = name === undefined ? client : await register(server.issuer, { client_name: name })
  const form = await browser.consent(authorizeQuery(known.id, createVerifier()))
  const answer = await browser.approve(form)
  const url = new URL(answer.headers.get('location') ?? '')
  expect(url.searchParams.get('code_challenge_method')).toBe('S256')
  nonce = url.searchParams.get('nonce') ?? ''
  return { browser, state: url.searchParams.get('state') ?? '', nonce }
}

const back = (browser: Browser, query: Readonly<Record<string, string>> | string) => {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString()
  return browser.get(`/authorize/callback?${text}`, 'cross-site')
}

function expectNotSignedIn(answer: Answer, browser: Browser) {
  expect(answer.headers.get('location') ?? '').not.toContain('code=')
  expect(browser.cookies.has('__Host-edgeway-login')).toBe(false)
}

it('/authorize/callback redirects a code to the client after a valid sign-in', async () => {
  const { browser, state } = await beginSignIn()
  const answer = await back(browser, { code: 'c', state })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?code=/)
})

describe('/authorize/callback redirects access_denied to the client when', () => {
  const denied: readonly (readonly [string, () => void])[] = [
    [
      'the id token has the nonce of another sign-in',
      () => {
        changes = { nonce: 'other' }
      },
    ],
    [
      'the id token has no nonce',
      () => {
        changes = { nonce: undefined }
      },
    ],
    [
      'the id token is for another client',
      () => {
        changes = { aud: 'other' }
      },
    ],
    [
      'the id token is for two audiences without azp',
      () => {
        changes = { aud: ['edgeway-fixture', 'other'] }
      },
    ],
    [
      'the id token has azp of another client',
      () => {
        changes = { azp: 'other' }
      },
    ],
    [
      'the id token is of another issuer',
      () => {
        changes = { iss: 'https://evil.example' }
      },
    ],
    [
      'the id token has expired',
      () => {
        changes = { exp: 1 }
      },
    ],
    [
      'the id token was issued in the future',
      () => {
        changes = { iat: 9_999_999_999 }
      },
    ],
    [
      'the id token has no subject',
      () => {
        changes = { sub: undefined }
      },
    ],
    [
      'the id token has a number as its subject',
      () => {
        changes = { sub: 1 }
      },
    ],
    [
      'the id token is signed with another key',
      () => {
        signWith = () => ({ key: otherKey, header: {} })
      },
    ],
    [
      'the id token is signed with a key that it names itself',
      () => {
        signWith = () => ({
          key: otherKey,
          header: { kid: 'evil', jku: 'https://evil.example/jwks' },
        })
      },
    ],
  ]
  it.each(denied)('%s', async (_, prepare) => {
    verifies('issuer-identification/clients-stop-on-mismatch', 'openid-connect/id-token-nonce')
    prepare()
    const { browser, state } = await beginSignIn()
    const answer = await back(browser, { code: 'c', state })
    expect([answer.status, errorOf(answer)]).toEqual([303, 'access_denied'])
    expectNotSignedIn(answer, browser)
    expect(egress.requestedUrls).not.toContain('https://evil.example/jwks')
  })

  const answers: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['the response is of another issuer', { code: 'c', iss: 'https://evil.example' }],
    [
      'the response is an error of another issuer',
      { error: 'access_denied', iss: 'https://evil.example' },
    ],
    ['the response is access_denied', { error: 'access_denied' }],
    [
      'the response is an error with markup',
      { error: '<script>', error_description: '<script>alert(1)</script>' },
    ],
    ['the response has no code', {}],
    ['the code has 5,000 characters', { code: 'a'.repeat(5000) }],
  ]
  it.each(answers)('%s', async (_, query) => {
    const { browser, state } = await beginSignIn()
    const answer = await back(browser, { ...query, state })
    expect([answer.status, errorOf(answer)]).toEqual([303, 'access_denied'])
    expect(decodeURIComponent(answer.headers.get('location') ?? '')).not.toContain('<script')
    expectNotSignedIn(answer, browser)
  })

  it('the response has two codes', async () => {
    const { browser, state } = await beginSignIn()
    const answer = await back(browser, `code=a&code=b&state=${encodeURIComponent(state)}`)
    expect(errorOf(answer)).toBe('access_denied')
    expectNotSignedIn(answer, browser)
  })
})

describe('/authorize/callback shows an error page without a redirect when', () => {
  it.each(['', 'made-up', '\u0000', 'a'.repeat(5000)])('the state is %j', async (state) => {
    verifies('authorization-security-practices/upstream-state-is-checked')
    verifies('oauth-2-1-clients/client-csrf', 'oauth-2-1-security/client-csrf-by-pkce')
    verifies('oauth-security-practice/client-csrf', 'openid-connect/response-validation')
    const { browser } = await beginSignIn()
    const answer = await back(browser, { code: 'c', state })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })
  it('the state is repeated', async () => {
    const { browser, state } = await beginSignIn()
    const twice = encodeURIComponent(state)
    const answer = await back(browser, `code=c&state=${twice}&state=${twice}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })
  it('the sign-in was begun in another browser', async () => {
    verifies('authorization-security-practices/upstream-state-is-checked')
    verifies('oauth-2-1-clients/client-mix-up')
    const attacker = await beginSignIn()
    const victim = await beginSignIn()
    for (const browser of [victim.browser, new Browser(server.issuer)]) {
      const answer = await back(browser, { code: 'c', state: attacker.state })
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    }
  })
  it('the state is the transaction of a consent page', async () => {
    const { browser } = await beginSignIn()
    const form = await browser.consent(authorizeQuery(client.id, createVerifier()))
    const answer = await back(browser, { code: 'c', state: form.transaction })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })
  it('the response is sent a second time', async () => {
    verifies('authorization-security-practices/upstream-state-is-single-use')
    const { browser, state } = await beginSignIn()
    const approvals = [...browser.cookies].filter(([name]) => name.includes('-approval-'))
    expect(approvals).toHaveLength(1)
    expect((await back(browser, { code: 'c', state })).status).toBe(303)
    for (const [name, value] of approvals) browser.cookies.set(name, value)
    const again = await back(browser, { code: 'c', state })
    expect([again.status, again.headers.get('location')]).toEqual([400, null])
  })
})

it('/authorize/callback finishes two sign-ins of one browser', async () => {
  const first = await beginSignIn()
  const { browser } = first
  const second = await beginSignIn(undefined, browser)
  for (const begun of [first, second]) {
    nonce = begun.nonce
    expect((await back(browser, { code: 'c', state: begun.state })).status).toBe(303)
  }
})

it('/authorize/callback accepts one of twenty concurrent responses', async () => {
  verifies('authorization-security-practices/upstream-state-is-single-use')
  const { browser, state } = await beginSignIn()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => back(browser, { code: 'c', state })),
  )
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
})

it('/authorize does not redirect to the provider before the consent', async () => {
  verifies('authorization-security/consent-before-third-party')
  verifies('authorization-security-practices/per-client-consent')
  verifies('authorization-security-practices/approved-clients')
  verifies('authorization-security-practices/upstream-state-after-consent')
  verifies('authorization-security-practices/no-state-before-consent')
  const browser = new Browser(server.issuer)
  const answer = await browser.get(
    `/authorize?${authorizeQuery(client.id, createVerifier())}`,
    'none',
  )
  expect([answer.status, answer.headers.get('location')]).toEqual([200, null])
})

it('/account escapes markup in the name of a person', async () => {
  changes = { name: '"><script>alert(1)</script>' }
  const { browser, state } = await beginSignIn()
  await back(browser, { code: 'c', state })
  const { status, body } = await browser.get('/account')
  expect(status).toBe(200)
  expect(fieldOf(body, 'csrf')).not.toBe('')
  expect(body).toContain('&lt;script&gt;')
  expect(body).not.toContain('<script')
})
