/** The way to a token by hand, for what no official client leaves to whoever uses it. */
import { expect } from 'vitest'
import { answerConsent, openBrowser } from './browser.ts'
import { answerOf, type RawAnswer, sendForm } from './raw.ts'

export interface Way {
  readonly origin: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly redirectUri: string
  /** Beside what has to be there: `resource`, `scope`, `state`. */
  readonly params?: Readonly<Record<string, string>>
}

export interface Arrival {
  /** Where the person's browser was sent with the code. */
  readonly callback: URL
  /** The answer to that code. */
  readonly tokens: RawAnswer
}

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
/** As RFC 7636, Appendix B has them. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export function authorizeUrl({ origin, clientId, redirectUri, params = {} }: Way): URL {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...params,
  })
  return new URL(`${origin}/authorize?${query}`)
}

export async function goAllTheWay(way: Way): Promise<Arrival> {
  const { origin, clientId, clientSecret, redirectUri, params: { resource } = {} } = way
  const callback = await answerConsent(openBrowser(), authorizeUrl(way))
  const tokens = await sendForm(`${origin}/token`, {
    grant_type: 'authorization_code',
    code: String(callback.searchParams.get('code')),
    code_verifier: VERIFIER,
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(resource !== undefined && { resource }),
  })
  return { callback, tokens }
}

/** Registers as anybody may; the answer of the server. */
export async function register(origin: string, metadata: object): Promise<RawAnswer> {
  return answerOf(
    await fetch(`${origin}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    }),
  )
}

/** An app gets its answer at each of its callbacks, as it waits for it, and tokens for it. */
export async function expectAnswers(
  { origin, url }: { readonly origin: string; readonly url: string },
  clientId: string,
  callbacks: readonly string[],
): Promise<void> {
  for (const redirectUri of callbacks) {
    const params = { state: 'a b+c&d', resource: url }
    const { callback, tokens } = await goAllTheWay({ origin, clientId, redirectUri, params })
    expect(callback.href.startsWith(`${redirectUri}?`)).toBe(true)
    expect(callback.searchParams.get('state')).toBe('a b+c&d')
    expect(callback.searchParams.get('iss')).toBe(origin)
    expect(tokens.status).toBe(200)
    expect(tokens.headers.get('cache-control')).toBe('no-store')
    expect(tokens.body).toMatchObject({
      token_type: 'Bearer',
      // Many clients never refresh: a day is the least.
      expires_in: 86_400,
      refresh_token: expect.any(String),
    })
  }
}
