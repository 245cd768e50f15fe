/** Sign-in with a well-behaved OpenID provider. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { IdClaims } from '../../../src/auth/login/claimed-attributes.ts'
import { LoginError, notAllowed } from '../../../src/auth/login/login-error.ts'
import { createOidcLogin, type OidcOptions } from '../../../src/auth/login/oidc.ts'
import { verifies } from '../../support/verifies.ts'
import {
  CHALLENGE,
  createPair,
  createUpstream,
  ISSUER,
  NOW,
  REQUEST,
  type SigningPair,
  type Upstream,
} from './upstream.ts'

let pair: SigningPair
let upstream: Upstream

beforeAll(async () => {
  pair = await createPair()
})

beforeEach(() => {
  upstream = createUpstream(pair)
})

const login = (options: Partial<OidcOptions> = {}) =>
  createOidcLogin(
    { issuer: ISSUER, clientId: 'client-1', clientSecret: 's&cret', ...options },
    upstream,
  )

const signIn = (options: Partial<OidcOptions> = {}, env: unknown = {}) =>
  login(options).finish(upstream.answer(), REQUEST, env)

describe('the authorization request of an OpenID login', () => {
  it('has state, nonce and PKCE challenge of this browser', async () => {
    verifies('oauth-2-1-security/client-csrf-by-pkce')
    const url = await login().begin(REQUEST, {})
    expect(url.origin + url.pathname).toBe('https://login.example.com/authorize')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client-1',
      redirect_uri: 'https://mcp.example.com/authorize/callback',
      scope: 'openid profile email',
      state: 'sealed-state',
      nonce: 'nonce-of-this-browser',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
  })

  it('requests the configured scopes and always openid, and holds no secret', async () => {
    verifies('openid-connect/openid-scope')
    const url = await login({ scopes: ['email', 'openid', 'offline_access'] }).begin(REQUEST, {})
    expect(url.searchParams.get('scope')).toBe('openid email offline_access')
    expect(url.href).not.toContain(REQUEST.codeVerifier)
    expect(url.href).not.toContain('cret')
  })

  it('adds configured parameters, which cannot replace its own, and keeps the query of the endpoint', async () => {
    const authorization_endpoint = `${ISSUER}/authorize?tenant=7&client_id=other`
    upstream.twist({ metadata: { authorization_endpoint } })
    const parameters = { audience: 'api', state: 'x', nonce: 'x', redirect_uri: 'x', scope: 'x' }
    const { searchParams } = await login({ prompt: 'login', parameters }).begin(REQUEST, {})
    const names = ['tenant', 'audience', 'prompt', 'state', 'nonce', 'redirect_uri', 'scope']
    expect([...names, 'client_id'].map((name) => searchParams.getAll(name).join())).toEqual([
      ...['7', 'api', 'login', 'sealed-state', 'nonce-of-this-browser', REQUEST.callbackUrl],
      ...['openid profile email', 'client-1'],
    ])
  })
})

describe('the callback of an OpenID login', () => {
  it('returns the person of the id token with upstream tokens and claims', async () => {
    expect(await signIn()).toEqual({
      id: 'user-1',
      emails: [],
      groups: [],
      subject: 'user-1',
      name: 'Ada Lovelace',
      props: {
        upstream: {
          accessToken: 'access-1',
          refreshToken: 'refresh-1',
          expiresAt: Date.UTC(2026, 10, 21, 13),
          scope: 'openid profile email',
        },
        claims: { sub: 'user-1', name: 'Ada Lovelace', email: 'ada@example.com' },
      },
    })
  })

  it('exchanges the code with the PKCE verifier and the same callback URL', async () => {
    verifies('openid-connect/token-request')
    await signIn()
    const exchange = upstream.received.find(({ url }) => url === `${ISSUER}/token`)
    expect(exchange?.init.method).toBe('POST')
    expect(Object.fromEntries(exchange?.form ?? [])).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: 'https://mcp.example.com/authorize/callback',
      code_verifier: REQUEST.codeVerifier,
    })
    // Both parts are form-encoded before they are joined (RFC 6749 §2.3.1).
    expect(new Headers(exchange?.init.headers).get('authorization')).toBe(
      'Basic Y2xpZW50LTE6cyUyNmNyZXQ=',
    )
  })

  it.each<[string, Partial<OidcOptions>, object, object]>([
    [
      'the secret in the body when the provider accepts it only there',
      { clientSecret: 's&cret' },
      { token_endpoint_auth_methods_supported: ['client_secret_post', 'none'] },
      { client_id: 'client-1', client_secret: 's&cret' },
    ],
    ['the id alone when there is no client secret', {}, {}, { client_id: 'client-1' }],
  ])('sends %s', async (_, options, metadata, credentials) => {
    const answer = (path: string) => (path === '/token' ? new Response('{}') : undefined)
    upstream.twist({ metadata: { ...metadata }, answer })
    const own = createOidcLogin({ issuer: ISSUER, clientId: 'client-1', ...options }, upstream)
    await own.finish(upstream.answer(), REQUEST, {}).catch(() => undefined)
    const exchange = upstream.received.find(({ url }) => url === `${ISSUER}/token`)
    const { client_id, client_secret } = Object.fromEntries(exchange?.form ?? [])
    expect({ client_id, ...(client_secret && { client_secret }) }).toEqual(credentials)
    expect(new Headers(exchange?.init.headers).get('authorization')).toBeNull()
  })

  it('reads named secrets from the environment', async () => {
    const options = { clientId: { secret: 'ID' }, clientSecret: { secret: 'SECRET' } }
    const person = await signIn(options, { ID: 'client-1', SECRET: 's&cret' })
    expect(person.subject).toBe('user-1')
    await expect(signIn(options, { ID: 'client-1' })).rejects.toThrow(
      'The secret SECRET is not set',
    )
  })

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('accepts id tokens signed with %s', async (alg) => {
    upstream = createUpstream(await createPair('key-2', alg))
    expect((await signIn()).subject).toBe('user-1')
  })

  it('accepts an id token for several audiences with azp of this client', async () => {
    upstream.twist({ claims: { aud: ['project', 'client-1'], azp: 'client-1' } })
    expect((await signIn()).subject).toBe('user-1')
  })

  it.each([
    ['the name', { name: 'Ada' }, 'Ada'],
    ['the user name without a name', { name: undefined, preferred_username: 'ada' }, 'ada'],
    ['the email address without a name', { name: '' }, 'ada@example.com'],
    ['undefined without any of them', { name: undefined, email: undefined }, undefined],
    ['undefined when they are no strings', { name: { first: 'Ada' }, email: 7 }, undefined],
  ])('uses %s as the display name', async (_, claims, shown) => {
    upstream.twist({ claims })
    expect((await signIn()).name).toBe(shown)
  })
})

describe('an OpenID login that asked for a sign-in within an hour', () => {
  const begunAt = NOW - 300_000
  const signInAt = (auth_time: unknown) => {
    upstream.twist({ claims: { auth_time } })
    return login().finish(upstream.answer(), { ...REQUEST, maxAgeSeconds: 3600, begunAt }, {})
  }

  it.each([
    ['of this moment', NOW / 1000],
    // A minute is tolerated as the difference of the clocks.
    ['an hour and a minute before it began', begunAt / 1000 - 3660],
    ['that the provider does not date', undefined],
  ])('accepts a sign-in %s', async (_, signedInAt) => {
    expect((await signInAt(signedInAt)).subject).toBe('user-1')
  })

  it.each([
    ['older than that', begunAt / 1000 - 3661],
    ['whose time is no number', String(NOW / 1000)],
    ['whose time is null', null],
  ])('rejects a sign-in %s', async (_, signedInAt) => {
    await expect(signInAt(signedInAt)).rejects.toThrow(LoginError)
  })
})

describe('the subject of an OpenID login', () => {
  it('is what the option `subject` returns', async () => {
    const subject = ({ email }: IdClaims) => `mail:${String(email)}`
    expect((await signIn({ subject })).subject).toBe('mail:ada@example.com')
  })

  it.each([
    ['an empty string', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['undefined', undefined],
  ])('ends the sign-in with a TypeError when it is %s', async (_, subject) => {
    await expect(signIn({ subject: () => subject as string })).rejects.toThrow(TypeError)
  })

  it('is rejected when `admit` refuses it', async () => {
    const admit = async ({ email }: IdClaims) => email === 'ada@example.com'
    expect((await signIn({ admit })).subject).toBe('user-1')
    upstream = createUpstream(pair)
    upstream.twist({ claims: { email: 'grace@example.com' } })
    await expect(signIn({ admit })).rejects.toThrow(
      notAllowed('This account may not sign in here.'),
    )
  })
})

describe('the metadata of a provider', () => {
  const discoveries = () =>
    upstream.received.filter(({ url }) => url.endsWith('openid-configuration')).length

  it('is fetched once an hour', async () => {
    const own = login()
    await own.begin(REQUEST, {})
    upstream.advance(59 * 60_000)
    await own.begin(REQUEST, {})
    expect(discoveries()).toBe(1)
    upstream.advance(2 * 60_000)
    await own.begin(REQUEST, {})
    expect(discoveries()).toBe(2)
  })

  it('is fetched once for concurrent sign-ins', async () => {
    const own = login()
    await Promise.all(Array.from({ length: 20 }, () => own.begin(REQUEST, {})))
    expect(discoveries()).toBe(1)
  })

  it('is used for another day while the provider fails, with a retry every five seconds', async () => {
    const own = login()
    await own.begin(REQUEST, {})
    upstream.twist({ answer: () => new Response(null, { status: 503 }) })
    upstream.advance(2 * 60 * 60_000)
    expect((await own.begin(REQUEST, {})).origin).toBe('https://login.example.com')
    expect((await own.begin(REQUEST, {})).origin).toBe('https://login.example.com')
    expect(discoveries()).toBe(2)
    upstream.advance(6_000)
    await own.begin(REQUEST, {})
    expect(discoveries()).toBe(3)
    upstream.advance(24 * 60 * 60_000)
    await expect(own.begin(REQUEST, {})).rejects.toThrow(LoginError)
  })

  it.each(['/realms/main', '/'])('is fetched below the path %s of the issuer', async (path) => {
    verifies('openid-connect/metadata-path')
    const issuer = `${ISSUER}${path}`
    const base = issuer.replace(/\/$/, '')
    upstream = createUpstream(pair, base)
    upstream.twist({ metadata: { issuer } })
    await login({ issuer }).begin(REQUEST, {})
    expect(upstream.received[0]?.url).toBe(`${base}/.well-known/openid-configuration`)
  })
})

describe('the option `issuer`', () => {
  it.each([
    'http://login.example.com',
    'http://login.localhost',
    'login.example.com',
    'ftp://login.example.com',
    'https://login.example.com?tenant=1',
    'https://login.example.com#a',
    '',
  ])('throws a TypeError for %j', (issuer) => {
    expect(() => login({ issuer })).toThrow(TypeError)
  })

  it.each([
    'http://127.0.0.1:9000',
    'http://127.8.9.10',
    'http://localhost:9000',
    'http://[::1]:9000',
  ])('accepts plain http on a loopback host: %s', (issuer) => {
    expect(login({ issuer }).name).toBe(new URL(issuer).host)
  })
})
