/** Invalid responses of an OpenID provider. Each one ends the sign-in without disclosing its content. */
import { base64url, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LoginError } from '../../../src/auth/login/login-error.ts'
import { createOidcLogin } from '../../../src/auth/login/oidc.ts'
import { verifies } from '../../support/verifies.ts'
import {
  CALLBACK,
  createPair,
  createUpstream,
  ISSUER,
  NOW,
  REQUEST,
  refusal,
  type SigningPair,
  signIdToken,
  type Twists,
  type Upstream,
} from './upstream.ts'

const SECONDS = NOW / 1000
const EVIL = 'https://evil.example'
const REFUSED = 'Signing in with Example did not succeed. Please try again.'
const NOT_WORKING = 'Signing in with Example is not possible at the moment. Please try again later.'

let pair: SigningPair
let rsa: SigningPair
let upstream: Upstream

beforeAll(async () => {
  pair = await createPair()
  rsa = await createPair('rsa-1', 'RS256')
})

beforeEach(() => {
  upstream = createUpstream(pair)
})

const login = () =>
  createOidcLogin(
    { issuer: ISSUER, clientId: 'client-1', clientSecret: 's&cret', name: 'Example' },
    upstream,
  )

/** The text for the person and the cause for the author. */
async function failureOf(twists: Twists = {}, answer = upstream.answer()) {
  upstream.twist(twists)
  try {
    const person = await login().finish(answer, REQUEST, {})
    throw new Error(`Signed in: ${person.subject}`)
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    return { text: error.message, cause: String(error.cause) }
  }
}

const textOf = async (twists: Twists = {}, answer = upstream.answer()) =>
  (await failureOf(twists, answer)).text
const signedIn = async (answer = upstream.answer()) =>
  (await login().finish(answer, REQUEST, {})).subject

/** Twists of the answer of one path. */
const answering = (path: string, answer: () => Response | Promise<Response>): Twists => ({
  answer: (asked) => (asked === path ? answer() : undefined),
})

const OTHERS = ['client-1', 'client-2']
const SECRET = base64url.encode('s&cret'.padEnd(32, '\0'))
const hmac = (claims: JWTPayload, secret: string, kid?: string) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', ...(kid !== undefined && { kid }) })
    .sign(new TextEncoder().encode(secret))
const byOwn = async (claims: JWTPayload, header: (own: SigningPair) => object) => {
  const own = await createPair('own')
  return signIdToken(claims, own, { ...header(own) })
}

describe('an OpenID login', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['for another client', { aud: 'client-2' }],
    ['without an audience', { aud: undefined }],
    ['for several audiences without azp', { aud: OTHERS }],
    ['for several audiences with azp of another client', { aud: OTHERS, azp: 'client-2' }],
    ['for this client with azp of another client', { azp: 'client-2' }],
    ['with a list as azp', { azp: ['client-1'] }],
    ['of another issuer', { iss: EVIL }],
    ['of the same issuer in another spelling', { iss: `${ISSUER}/` }],
    ['without an issuer', { iss: undefined }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a number as its subject', { sub: 7 }],
    ['that has expired', { exp: SECONDS - 61 }],
    ['that never expires', { exp: undefined }],
    ['with a string as exp', { exp: 'never' }],
    ['from the future', { iat: SECONDS + 61 }],
    ['without iat', { iat: undefined }],
    ['that is not valid yet', { nbf: SECONDS + 61 }],
    ['without a nonce', { nonce: undefined }],
    ['with the nonce of another browser', { nonce: 'nonce-of-another' }],
    ['with the nonce in a list', { nonce: [REQUEST.nonce] }],
  ])('rejects an id token %s', async (_, claims) => {
    verifies('oauth-security-practice/nonce-instead-of-pkce')
    verifies('openid-connect/token-response-validation', 'openid-connect/id-token-mac')
    verifies('openid-connect/id-token-encryption')
    verifies('openid-connect/id-token-issuer', { row: 'of another issuer' })
    verifies('openid-connect/id-token-audience', { row: 'for another client' })
    verifies('openid-connect/id-token-expiry', { row: 'that has expired' })
    verifies('openid-connect/id-token-nonce', { row: 'without a nonce' })
    verifies('openid-connect/id-token-claims', { row: 'without an issuer' })
    expect(await textOf({ claims })).toBe(REFUSED)
  })

  it.each([
    ['that expired 59 seconds ago', { exp: SECONDS - 59 }],
    ['issued 59 seconds in the future', { iat: SECONDS + 59 }],
  ])('accepts an id token %s, because clocks differ', async (_, claims) => {
    upstream.twist({ claims })
    expect(await signedIn()).toBe('user-1')
  })

  it.each<[string, NonNullable<Twists['idToken']>]>([
    ['without a signature', (claims) => new UnsecuredJWT(claims).encode()],
    [
      'with the algorithm none in mixed case',
      async (claims, own) => {
        const [, payload] = (await signIdToken(claims, own)).split('.')
        return `${base64url.encode('{"alg":"nOnE"}')}.${payload}.`
      },
    ],
    ['signed with the client secret', (claims) => hmac(claims, 's&cret'.padEnd(32, '\0'))],
    [
      'signed with the public key as secret',
      (claims, { jwk, kid }) => hmac(claims, JSON.stringify(jwk), kid),
    ],
    [
      'signed with another key of the same id',
      async (claims) => signIdToken(claims, await createPair()),
    ],
    ['signed with a key that is not published', (claims) => signIdToken(claims, rsa)],
    ['with its key in the header', (claims) => byOwn(claims, ({ jwk }) => ({ jwk }))],
    ['with the URL of its key', (claims) => byOwn(claims, () => ({ jku: `${EVIL}/keys` }))],
    [
      'with an unknown critical header',
      (claims, { alg, kid, privateKey }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg, kid, crit: ['odd'], odd: true })
          .sign(privateKey, { crit: { odd: true } }),
    ],
    [
      'with changed claims',
      async (claims, own) => {
        const [header, , signature] = (await signIdToken(claims, own)).split('.')
        const payload = base64url.encode(JSON.stringify({ ...claims, sub: 'admin' }))
        return `${header}.${payload}.${signature}`
      },
    ],
    ['of two parts', async (...of) => (await signIdToken(...of)).replace(/\.[^.]+$/, '')],
    ['that is no JWT', () => 'not a token'],
  ])('rejects an id token %s', async (_, idToken) => {
    verifies('openid-connect/id-token-signature', { row: 'with changed claims' })
    expect(await textOf({ idToken })).toBe(REFUSED)
    const fetched = upstream.received.map(({ url }) => new URL(url).host)
    expect([...new Set(fetched)]).toEqual(['login.example.com'])
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['no id token', { id_token: undefined }],
    ['an empty id token', { id_token: '' }],
    ['an object as id token', { id_token: { sub: 'user-1' } }],
    ['an id token longer than 16 KiB', { id_token: 'x'.repeat(20_000) }],
    ['a token of type mac', { token_type: 'mac' }],
    ['a token of type DPoP', { token_type: 'DPoP' }],
    ['a number as type', { token_type: 1 }],
    ['null as type', { token_type: null }],
  ])('rejects a token response with %s', async (_, tokens) => {
    verifies('oauth-2-0/unknown-token-types')
    expect(await textOf({ tokens })).toBe(NOT_WORKING)
  })
})

describe('the callback of an OpenID login', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['with a code of another sign-in', { code: 'code-2' }],
    ['without a code', { code: '' }],
    ['of another issuer', { iss: EVIL }],
    ['of the same issuer in another spelling', { iss: `${ISSUER}/` }],
    ['with an error', { error: 'server_error' }],
    ['with an error that is script', { error: '<script>', error_description: '<script>' }],
  ])('rejects a response %s', async (_, changes) => {
    verifies('oauth-2-1-clients/client-mix-up', 'oauth-2-1-grants/code-injection')
    verifies('oauth-2-1-security/mix-up', 'oauth-security-practice/mix-up-defence')
    verifies('oauth-security-practice/mix-up-by-issuer')
    verifies('issuer-identification/clients-compare-iss')
    verifies('issuer-identification/clients-stop-on-mismatch', 'openid-connect/response-validation')
    verifies('authorization-security-practices/third-party-errors')
    expect(await textOf({}, upstream.answer(changes))).toBe(REFUSED)
  })

  it('sends no request to the token endpoint for a code longer than 4096 characters', async () => {
    await failureOf({}, upstream.answer({ code: 'x'.repeat(5000) }))
    expect(upstream.received.map(({ url }) => url)).not.toContain(`${ISSUER}/token`)
  })

  it('checks the issuer before the error', async () => {
    const answer = upstream.answer({ iss: EVIL, error: 'access_denied' })
    expect(await textOf({}, answer)).toBe(REFUSED)
    const asked = upstream.received.map(({ url }) => url)
    expect(asked).toEqual([`${ISSUER}/.well-known/openid-configuration`])
  })

  it('rejects a response without iss when the metadata promises it', async () => {
    const metadata = { authorization_response_iss_parameter_supported: true }
    expect(await textOf({ metadata })).toBe(REFUSED)
    expect(await signedIn(upstream.answer({ iss: ISSUER }))).toBe('user-1')
  })

  it.each(['code', 'error', 'iss'])('rejects a response that repeats %s', async (name) => {
    const answer = upstream.answer({ iss: ISSUER })
    answer.append(name, 'code-1')
    answer.append(name, 'code-1')
    expect(await textOf({}, answer)).toBe(REFUSED)
  })

  it('reports a sign-in that the person cancelled', async () => {
    const answer = new URLSearchParams({ error: 'access_denied', state: REQUEST.state })
    expect(await textOf({}, answer)).toBe('Signing in with Example was cancelled.')
  })

  it('rejects a code of a sign-in that another browser began, and one that was exchanged before', async () => {
    verifies('oauth-security-practice/transaction-specific-challenges')
    const other = { ...REQUEST, codeVerifier: 'verifier-of-another-browser-000000000000000' }
    await expect(login().finish(upstream.answer(), other, {})).rejects.toThrow(REFUSED)
    expect(await signedIn()).toBe('user-1')
    expect(await textOf()).toBe(REFUSED)
  })
})

describe('the token endpoint of a provider', () => {
  const TOKEN = { access_token: 'a', token_type: 'Bearer' }
  const JSON_TYPE = { 'content-type': 'application/json' }
  it.each<[string, () => Response]>([
    ['HTML', () => new Response('<!doctype html><title>Oops</title>')],
    ['HTML as JSON', () => new Response('<html>', { headers: JSON_TYPE })],
    ['a list', () => Response.json([TOKEN])],
    ['null', () => new Response('null')],
    ['an empty body', () => new Response(null)],
    ['bytes that are no UTF-8', () => new Response(new Uint8Array([0xff, 0xfe, 0x7b]))],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: `${ISSUER}/x` } })],
    ['a permanent redirect', () => Response.redirect(`${EVIL}/token`, 308)],
    ['status 500', () => Response.json({ error: 'invalid_grant' }, { status: 500 })],
    ['status 201', () => Response.json({ access_token: 'a' }, { status: 201 })],
    ['more than 64 KiB', () => new Response(`{"a":"${'x'.repeat(70_000)}"}`)],
    ['no access token', () => Response.json({ token_type: 'Bearer', id_token: 'x' })],
    ['no token type', () => Response.json({ access_token: 'a', id_token: 'x' })],
    ['a number as access token', () => Response.json({ ...TOKEN, access_token: 1 })],
  ])('ends the sign-in when it responds with %s', async (_, answer) => {
    expect(await textOf(answering('/token', answer))).toBe(NOT_WORKING)
  })

  it('is read up to 64 KiB when its body does not end', async () => {
    let read = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 1
        controller.enqueue(new Uint8Array(16 * 1024).fill(0x20))
      },
    })
    expect(await textOf(answering('/token', () => new Response(endless)))).toBe(NOT_WORKING)
    expect(read).toBeLessThan(10)
  })

  it('is aborted after eight seconds without a response', async () => {
    const never = new Promise<Response>(() => {})
    upstream.twist(answering('/token', () => never))
    const started = Date.now()
    await expect(login().finish(upstream.answer(), REQUEST, {})).rejects.toThrow(NOT_WORKING)
    expect(Date.now() - started).toBeLessThan(30_000)
    expect(upstream.received.at(-1)?.init.signal?.aborted).toBe(true)
  })

  it.each<[string, string, string, () => Response | Promise<Response>]>([
    [
      'cannot be reached',
      NOT_WORKING,
      'https://login.example.com/token cannot be reached',
      () => Promise.reject(new TypeError('refused')),
    ],
    [
      'refuses',
      REFUSED,
      'The token endpoint refused: invalid_client',
      () => refusal('invalid_client', 401),
    ],
  ])('that %s shows the person: %s, and has the cause: %s', async (_, text, cause, answer) => {
    const failure = await failureOf(answering('/token', answer))
    expect(failure).toEqual({ text, cause: `RemoteError: ${cause}` })
  })

  it('is requested without following redirects', async () => {
    await signedIn()
    const redirects = upstream.received.map(({ init }) => init.redirect)
    expect(redirects).toEqual(['manual', 'manual', 'manual'])
  })
})

describe('the metadata of a provider', () => {
  const VALID_METADATA = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/keys`,
  }

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['of another issuer', { issuer: EVIL }],
    ['without an issuer', { issuer: undefined }],
    ['of the same issuer in another spelling', { issuer: `${ISSUER}/` }],
    ['with a token endpoint over plain http', { token_endpoint: 'http://login.example.com/token' }],
    ['with a key set over plain http', { jwks_uri: 'http://login.example.com/keys' }],
    ['with a script as endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['without an authorization endpoint', { authorization_endpoint: undefined }],
    ['without a token endpoint', { token_endpoint: undefined }],
    ['with a number as jwks_uri', { jwks_uri: 7 }],
  ])('ends the sign-in when it is a document %s', async (_, metadata) => {
    verifies('openid-connect/metadata-issuer', { row: 'of another issuer' })
    verifies('openid-connect/transport', { row: 'with a token endpoint over plain http' })
    expect(await textOf({ metadata })).toBe(NOT_WORKING)
    const error = new LoginError(NOT_WORKING, { reason: 'unavailable' })
    await expect(login().begin(REQUEST, {})).rejects.toThrow(error)
  })

  it.each<[string, () => Response]>([
    ['missing', () => new Response(null, { status: 404 })],
    ['valid with status 400', () => Response.json(VALID_METADATA, { status: 400 })],
    ['a redirect', () => Response.redirect(EVIL, 302)],
    ['HTML', () => new Response('<!doctype html>')],
    ['too large', () => new Response(`{"issuer":"${'x'.repeat(70_000)}"}`)],
  ])('ends the sign-in when it is %s', async (_, answer) => {
    const twists = answering('/.well-known/openid-configuration', answer)
    expect(await textOf(twists)).toBe(NOT_WORKING)
  })
})

it.each<[string, string, () => Twists]>([
  [
    'cannot be fetched',
    NOT_WORKING,
    () => answering('/keys', () => new Response(null, { status: 503 })),
  ],
  [
    'has a key of another algorithm than that of the token',
    REFUSED,
    () => answering('/keys', () => Response.json({ keys: [{ ...rsa.jwk, kid: 'key-1' }] })),
  ],
  [
    'has a symmetric key',
    REFUSED,
    () => ({
      ...answering('/keys', () =>
        Response.json({ keys: [{ kty: 'oct', kid: 'key-1', k: SECRET }] }),
      ),
      idToken: (claims) => hmac(claims, 's&cret'.padEnd(32, '\0'), 'key-1'),
    }),
  ],
])('the key set of a provider that %s ends the sign-in: %s', async (_, text, twists) => {
  expect(await textOf(twists())).toBe(text)
})

it('the error of a failed sign-in holds no secret, code or token in its message or causes', async () => {
  verifies('authorization-security-practices/third-party-credentials')
  verifies('oauth-2-1-clients/confidential-tokens')
  const seen: string[] = []
  for (const twists of [
    answering('/token', () => refusal('invalid_grant')),
    { claims: { nonce: 'other' } },
    { tokens: { id_token: 'not a token' } },
  ]) {
    upstream = createUpstream(pair)
    upstream.twist(twists)
    const error: unknown = await login()
      .finish(upstream.answer(), REQUEST, {})
      .catch((thrown: unknown) => thrown)
    for (let at = error; at instanceof Error; at = at.cause) seen.push(at.message)
  }
  expect(seen.join('\n')).not.toMatch(/cret|code-1|access-1|eyJ|not for your eyes|verifier/)
  expect(seen.join('\n')).not.toContain(CALLBACK)
})
