/** Answers that are not what they should be: each ends the sign-in, and says nothing of itself. */
import { base64url, SignJWT, UnsecuredJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LoginError } from '../../../src/auth/login/login.ts'
import { createOidcLogin } from '../../../src/auth/login/oidc.ts'
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
const REFUSED = 'Signing in with Example did not succeed: start again'
const NOT_WORKING = 'Signing in with Example does not work at the moment: try again later'

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

/** What the person reads, and what the author finds in the cause. */
async function failureOf(twists: Twists = {}, answer = upstream.answer()) {
  upstream.twist(twists)
  try {
    const person = await login().finish(answer, REQUEST, {})
    throw new Error(`Let in: ${person.subject}`)
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    return { text: error.message, cause: String(error.cause) }
  }
}

describe('an id token', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['for another client', { aud: 'client-2' }],
    ['for nobody', { aud: undefined }],
    ['for several, issued to nobody', { aud: ['client-1', 'client-2'] }],
    ['for several, issued to another', { aud: ['client-1', 'client-2'], azp: 'client-2' }],
    ['for us, issued to another', { azp: 'client-2' }],
    ['for us, issued to a list', { azp: ['client-1'] }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['of the same issuer, spelt otherwise', { iss: `${ISSUER}/` }],
    ['of no issuer', { iss: undefined }],
    ['of nobody', { sub: undefined }],
    ['of an empty subject', { sub: '' }],
    ['of a number', { sub: 7 }],
    ['that has expired', { exp: SECONDS - 61 }],
    ['that never expires', { exp: undefined }],
    ['that expires in words', { exp: 'never' }],
    ['from the future', { iat: SECONDS + 61 }],
    ['of no time', { iat: undefined }],
    ['not good yet', { nbf: SECONDS + 61 }],
    ['without a nonce', { nonce: undefined }],
    ['with the nonce of another browser', { nonce: 'nonce-of-another' }],
    ['with the nonce in a list', { nonce: [REQUEST.nonce] }],
  ])('%s is refused', async (_, claims) => {
    expect((await failureOf({ claims })).text).toBe(REFUSED)
  })

  it.each([
    ['expired a minute ago', { exp: SECONDS - 59 }],
    ['issued in a minute', { iat: SECONDS + 59 }],
  ])('%s is taken: clocks differ', async (_, claims) => {
    upstream.twist({ claims })
    expect((await login().finish(upstream.answer(), REQUEST, {})).subject).toBe('user-1')
  })

  it.each<[string, NonNullable<Twists['idToken']>]>([
    ['without a signature', (claims) => new UnsecuredJWT(claims).encode()],
    [
      'with an algorithm of none in other letters',
      async (claims, own) => {
        const [, payload] = (await signIdToken(claims, own)).split('.')
        return `${base64url.encode('{"alg":"nOnE"}')}.${payload}.`
      },
    ],
    [
      'signed with our own secret',
      (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode('s&cret'.padEnd(32, '\0'))),
    ],
    [
      'signed with the public key as a secret',
      (claims, { jwk, kid }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid })
          .sign(new TextEncoder().encode(JSON.stringify(jwk))),
    ],
    [
      'signed with another key of the same name',
      async (claims) => signIdToken(claims, await createPair()),
    ],
    ['signed with a key that is not published', (claims) => signIdToken(claims, rsa)],
    [
      'that brings its own key',
      async (claims) => {
        const own = await createPair('own')
        return signIdToken(claims, own, { jwk: own.jwk })
      },
    ],
    [
      'that says where its key is',
      async (claims) =>
        signIdToken(claims, await createPair('own'), { jku: 'https://evil.example/keys' }),
    ],
    [
      'with an extension that must be understood',
      (claims, { alg, kid, privateKey }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg, kid, crit: ['odd'], odd: true })
          .sign(privateKey, { crit: { odd: true } }),
    ],
    [
      'with other claims than were signed',
      async (claims, own) => {
        const [header, , signature] = (await signIdToken(claims, own)).split('.')
        const payload = base64url.encode(JSON.stringify({ ...claims, sub: 'admin' }))
        return `${header}.${payload}.${signature}`
      },
    ],
    [
      'of two parts',
      async (claims, own) => (await signIdToken(claims, own)).replace(/\.[^.]+$/, ''),
    ],
    ['that is none', () => 'not a token'],
  ])('%s is refused', async (_, idToken) => {
    expect((await failureOf({ idToken })).text).toBe(REFUSED)
    const fetched = upstream.received.map(({ url }) => new URL(url).host)
    expect([...new Set(fetched)]).toEqual(['login.example.com'])
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['no text', { sub: 'user-1' }],
    ['larger than any', 'x'.repeat(20_000)],
  ])('that is %s is refused', async (_, id_token) => {
    expect((await failureOf({ tokens: { id_token } })).text).toBe(NOT_WORKING)
  })
})

describe('an answer in the browser', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['with a code of another sign-in', { code: 'code-2' }],
    ['without a code', { code: '' }],
    ['from another provider', { iss: 'https://evil.example' }],
    ['from the same provider, spelt otherwise', { iss: `${ISSUER}/` }],
    ['with an error', { error: 'server_error' }],
  ])('%s is refused', async (_, changes) => {
    expect((await failureOf({}, upstream.answer(changes))).text).toBe(REFUSED)
  })

  it('with a code longer than any is not taken to the token endpoint', async () => {
    await failureOf({}, upstream.answer({ code: 'x'.repeat(5000) }))
    expect(upstream.received.map(({ url }) => url)).not.toContain(`${ISSUER}/token`)
  })

  it('is looked at no further than its issuer where that is another', async () => {
    const answer = upstream.answer({ iss: 'https://evil.example', error: 'access_denied' })
    expect((await failureOf({}, answer)).text).toBe(REFUSED)
    expect(upstream.received.map(({ url }) => url)).toEqual([
      'https://login.example.com/.well-known/openid-configuration',
    ])
  })

  it('without an issuer is refused where the provider always sends it', async () => {
    const metadata = { authorization_response_iss_parameter_supported: true }
    expect((await failureOf({ metadata })).text).toBe(REFUSED)
    const named = upstream.answer({ iss: ISSUER })
    expect((await login().finish(named, REQUEST, {})).subject).toBe('user-1')
  })

  it.each(['code', 'error', 'iss'])('with %s twice is refused', async (name) => {
    const answer = upstream.answer({ iss: ISSUER })
    answer.append(name, 'code-1')
    answer.append(name, 'code-1')
    expect((await failureOf({}, answer)).text).toBe(REFUSED)
  })

  it('that was cancelled is told as that', async () => {
    const answer = new URLSearchParams({ error: 'access_denied', state: REQUEST.state })
    expect((await failureOf({}, answer)).text).toBe('Signing in with Example was cancelled')
  })

  it('is never shown to anybody', async () => {
    const hostile = '<script>alert(1)</script>'
    const answer = upstream.answer({ error: hostile, error_description: hostile })
    expect((await failureOf({}, answer)).text).not.toContain('script')
  })

  it('exchanges a code in the browser that began alone', async () => {
    const other = { ...REQUEST, codeVerifier: 'verifier-of-another-browser-000000000000000' }
    await expect(login().finish(upstream.answer(), other, {})).rejects.toThrow(REFUSED)
  })

  it('exchanges a code once', async () => {
    await login().finish(upstream.answer(), REQUEST, {})
    expect((await failureOf()).text).toBe(REFUSED)
  })
})

describe('a token endpoint', () => {
  const says = (answer: () => Response | Promise<Response>): Twists => ({
    answer: (path) => (path === '/token' ? answer() : undefined),
  })

  it.each<[string, () => Response]>([
    ['HTML', () => new Response('<!doctype html><title>Oops</title>')],
    [
      'HTML as JSON',
      () => new Response('<html>', { headers: { 'content-type': 'application/json' } }),
    ],
    ['a list', () => Response.json([{ access_token: 'a', token_type: 'Bearer' }])],
    ['null', () => new Response('null')],
    ['nothing', () => new Response(null)],
    ['bytes that are no text', () => new Response(new Uint8Array([0xff, 0xfe, 0x7b]))],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: `${ISSUER}/x` } })],
    ['a lasting redirect', () => Response.redirect('https://evil.example/token', 308)],
    ['status 500', () => Response.json({ error: 'invalid_grant' }, { status: 500 })],
    ['status 201', () => Response.json({ access_token: 'a' }, { status: 201 })],
    ['too much', () => new Response(`{"a":"${'x'.repeat(70_000)}"}`)],
    ['no access token', () => Response.json({ token_type: 'Bearer', id_token: 'x' })],
    ['no type', () => Response.json({ access_token: 'a', id_token: 'x' })],
    ['a token that is a number', () => Response.json({ access_token: 1, token_type: 'Bearer' })],
  ])('that answers with %s is not believed', async (_, answer) => {
    expect((await failureOf(says(answer))).text).toBe(NOT_WORKING)
  })

  it.each(['mac', 'DPoP', 1, null])(
    'that gives a token of type %j is not believed',
    async (type) => {
      expect((await failureOf({ tokens: { token_type: type } })).text).toBe(NOT_WORKING)
    },
  )

  it('is read no further than 64 KiB, whatever it says of its length', async () => {
    let read = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 1
        controller.enqueue(new Uint8Array(16 * 1024).fill(0x20))
      },
    })
    expect((await failureOf(says(() => new Response(endless)))).text).toBe(NOT_WORKING)
    expect(read).toBeLessThan(10)
  })

  it('is waited for eight seconds at most', async () => {
    const never = new Promise<Response>(() => {})
    upstream.twist(says(() => never))
    const started = Date.now()
    await expect(login().finish(upstream.answer(), REQUEST, {})).rejects.toThrow(NOT_WORKING)
    expect(Date.now() - started).toBeLessThan(9_500)
    expect(upstream.received.at(-1)?.init.signal?.aborted).toBe(true)
  }, 15_000)

  it('that is away is told as that, with its address for the author alone', async () => {
    const { text, cause } = await failureOf(says(() => Promise.reject(new TypeError('refused'))))
    expect(text).toBe(NOT_WORKING)
    expect(cause).toBe('UpstreamError: https://login.example.com/token cannot be reached')
  })

  it('that refuses is told as that, with its code for the author alone', async () => {
    const { text, cause } = await failureOf(says(() => refusal('invalid_client', 401)))
    expect(text).toBe(REFUSED)
    expect(cause).toBe('UpstreamError: The token endpoint refused: invalid_client')
  })

  it('is never followed to another address', async () => {
    await login().finish(upstream.answer(), REQUEST, {})
    expect(upstream.received.map(({ init }) => init.redirect)).toEqual([
      'manual',
      'manual',
      'manual',
    ])
  })
})

describe('metadata', () => {
  const GOOD_METADATA = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/keys`,
  }

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['of another issuer', { issuer: 'https://evil.example' }],
    ['of no issuer', { issuer: undefined }],
    ['of the same issuer, spelt otherwise', { issuer: `${ISSUER}/` }],
    ['with a token endpoint over plain http', { token_endpoint: 'http://login.example.com/token' }],
    ['with keys over plain http', { jwks_uri: 'http://login.example.com/keys' }],
    ['with a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['without a page', { authorization_endpoint: undefined }],
    ['without a token endpoint', { token_endpoint: undefined }],
    ['with keys that have no address', { jwks_uri: 7 }],
  ])('%s is not believed', async (_, metadata) => {
    expect((await failureOf({ metadata })).text).toBe(NOT_WORKING)
    await expect(login().begin(REQUEST, {})).rejects.toThrow(new LoginError(NOT_WORKING))
  })

  it.each<[string, () => Response]>([
    ['missing', () => new Response(null, { status: 404 })],
    ['an error, though it reads well', () => Response.json(GOOD_METADATA, { status: 400 })],
    ['a redirect', () => Response.redirect('https://evil.example/', 302)],
    ['HTML', () => new Response('<!doctype html>')],
    ['too large', () => new Response(`{"issuer":"${'x'.repeat(70_000)}"}`)],
  ])('that is %s ends the sign-in', async (_, answer) => {
    const twists: Twists = {
      answer: (path) => (path.endsWith('openid-configuration') ? answer() : undefined),
    }
    expect((await failureOf(twists)).text).toBe(NOT_WORKING)
  })
})

describe('keys', () => {
  const keys = (answer: () => Response): Twists => ({
    answer: (path) => (path === '/keys' ? answer() : undefined),
  })

  it('that cannot be had end the sign-in as a fault of the provider', async () => {
    const { text } = await failureOf(keys(() => new Response(null, { status: 503 })))
    expect(text).toBe(NOT_WORKING)
  })

  it('of another kind than the token says are not used', async () => {
    const { text } = await failureOf(
      keys(() => Response.json({ keys: [{ ...rsa.jwk, kid: 'key-1' }] })),
    )
    expect(text).toBe(REFUSED)
  })

  it('that are secrets are not used', async () => {
    const secret = { kty: 'oct', kid: 'key-1', k: base64url.encode('s&cret'.padEnd(32, '\0')) }
    const { text } = await failureOf({
      ...keys(() => Response.json({ keys: [secret] })),
      idToken: (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
          .sign(new TextEncoder().encode('s&cret'.padEnd(32, '\0'))),
    })
    expect(text).toBe(REFUSED)
  })
})

describe('what the author is told', () => {
  it('holds no secret, no code and no token', async () => {
    const seen: string[] = []
    for (const twists of [
      { answer: (path: string) => (path === '/token' ? refusal('invalid_grant') : undefined) },
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
})
