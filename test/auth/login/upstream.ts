/**
 * An OpenID provider in memory, served through the injected `fetch` of a login. A test can replace any of
 * its responses.
 */
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import type { LoginRequest } from '../../../src/auth/login/login.ts'

export const NOW = Date.UTC(2026, 10, 21, 12)
export const ISSUER = 'https://login.example.com'
export const CALLBACK = 'https://mcp.example.com/authorize/callback'

/** The request of one sign-in. The digest of its verifier is `CHALLENGE`. */
export const REQUEST: LoginRequest = {
  callbackUrl: CALLBACK,
  state: 'sealed-state',
  nonce: 'nonce-of-this-browser',
  codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
}

/** RFC 7636, appendix B. */
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export interface SigningPair {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

export async function createPair(kid = 'key-1', alg = 'ES256'): Promise<SigningPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

export interface Received {
  readonly url: string
  readonly init: RequestInit
  readonly form: URLSearchParams
}

type Answer = Response | Promise<Response>

/** Changes to the responses of the provider. */
export interface Twists {
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly tokens?: Readonly<Record<string, unknown>>
  readonly idToken?: (claims: JWTPayload, pair: SigningPair) => string | Promise<string>
  /** A response by path; undefined keeps the normal one. */
  readonly answer?: (path: string, received: Received) => Answer | undefined
}

export interface Upstream {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly now: () => number
  readonly received: Received[]
  /** The query of the callback. */
  answer(changes?: Readonly<Record<string, string>>): URLSearchParams
  twist(twists: Twists): void
  advance(ms: number): void
}

const CODE = 'code-1'

export function createUpstream(pair: SigningPair, issuer = ISSUER): Upstream {
  let twists: Twists = {}
  let now = NOW
  const received: Received[] = []
  const spent = new Set<string>()

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    code_challenge_methods_supported: ['S256'],
    ...twists.metadata,
  })

  async function tokens({ init, form }: Received): Promise<Response> {
    const credentials = new Headers(init.headers).get('authorization')
    const basic = `Basic ${btoa('client-1:s%26cret')}`
    const post = form.get('client_id') === 'client-1' && form.get('client_secret') === 's&cret'
    if (credentials !== basic && !post) return refusal('invalid_client', 401)
    const grant = form.get('code') ?? form.get('refresh_token') ?? ''
    if (spent.has(grant)) return refusal('invalid_grant')
    if (form.get('grant_type') === 'refresh_token') {
      if (grant !== 'refresh-1') return refusal('invalid_grant')
    } else if (
      grant !== CODE ||
      form.get('redirect_uri') !== CALLBACK ||
      form.get('code_verifier') !== REQUEST.codeVerifier
    ) {
      return refusal('invalid_grant')
    }
    spent.add(grant)
    const first = form.get('grant_type') === 'authorization_code'
    return Response.json({
      access_token: first ? 'access-1' : 'access-2',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: first ? 'refresh-1' : 'refresh-2',
      scope: 'openid profile email',
      ...(first ? { id_token: await idToken() } : undefined),
      ...twists.tokens,
    })
  }

  async function idToken(): Promise<string> {
    const seconds = Math.floor(now / 1000)
    const claims = without({
      iss: issuer,
      sub: 'user-1',
      aud: 'client-1',
      iat: seconds,
      exp: seconds + 300,
      nonce: REQUEST.nonce,
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      ...twists.claims,
    })
    return twists.idToken?.(claims, pair) ?? signIdToken(claims, pair)
  }

  return {
    received,
    now: () => now,
    async fetch(url, init) {
      const request = { url, init, form: new URLSearchParams(String(init.body ?? '')) }
      received.push(request)
      const path = url.startsWith(`${issuer}/`) ? url.slice(issuer.length) : url
      const twisted = twists.answer?.(path, request)
      if (twisted !== undefined) return twisted
      if (path === '/.well-known/openid-configuration') return Response.json(metadata())
      if (path === '/keys') return Response.json({ keys: [pair.jwk] })
      if (path === '/token') return tokens(request)
      return new Response('Not found', { status: 404 })
    },
    answer: (changes = {}) => new URLSearchParams({ code: CODE, state: REQUEST.state, ...changes }),
    twist(more) {
      twists = { ...twists, ...more }
    },
    advance(ms) {
      now += ms
    },
  }
}

export function refusal(error: string, status = 400): Response {
  return Response.json({ error, error_description: 'not for your eyes' }, { status })
}

export function signIdToken(
  claims: JWTPayload,
  { alg, kid, privateKey }: SigningPair,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
}

/** Removes undefined members. */
function without(claims: Readonly<Record<string, unknown>>): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}
