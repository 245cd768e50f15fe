/** The authorization code flow without an official client, which would not allow these variations. */
import { expect } from 'vitest'
import { answerConsent, openBrowser } from './browser.ts'
import { type RawResponse, readResponse, sendForm } from './raw.ts'

export interface CodeFlowOptions {
  readonly origin: string
  readonly clientId: string
  readonly redirectUri: string
  /** Further parameters: `resource`, `scope`, `state`. */
  readonly params?: Readonly<Record<string, string>>
}

export interface CodeFlowResult {
  /** The redirect with the code. */
  readonly callback: URL
  /** The token response. */
  readonly tokens: RawResponse
}

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
/** From RFC 7636, appendix B. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export function authorizeUrl({ origin, clientId, redirectUri, params = {} }: CodeFlowOptions): URL {
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

export async function runCodeFlow(options: CodeFlowOptions): Promise<CodeFlowResult> {
  const { origin, clientId, redirectUri, params: { resource } = {} } = options
  const callback = await answerConsent(openBrowser(), authorizeUrl(options))
  const tokens = await sendForm(`${origin}/token`, {
    grant_type: 'authorization_code',
    code: String(callback.searchParams.get('code')),
    code_verifier: VERIFIER,
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(resource !== undefined && { resource }),
  })
  return { callback, tokens }
}

/** Registers a client dynamically. */
export async function register(origin: string, metadata: object): Promise<RawResponse> {
  return readResponse(
    await fetch(`${origin}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    }),
  )
}

/** Runs the flow with each callback of an app, and checks redirect and tokens. */
export async function expectCodeFlowAtEach(
  { origin, url }: { readonly origin: string; readonly url: string },
  clientId: string,
  callbacks: readonly string[],
): Promise<void> {
  for (const redirectUri of callbacks) {
    const params = { state: 'a b+c&d', resource: url }
    const { callback, tokens } = await runCodeFlow({ origin, clientId, redirectUri, params })
    expect(callback.href.startsWith(`${redirectUri}?`)).toBe(true)
    expect(callback.searchParams.get('state')).toBe('a b+c&d')
    expect(callback.searchParams.get('iss')).toBe(origin)
    expect(tokens.status).toBe(200)
    expect(tokens.headers.get('cache-control')).toBe('no-store')
    expect(tokens.body).toMatchObject({
      token_type: 'Bearer',
      // Many clients never refresh, so a token must last a day.
      expires_in: 86_400,
      refresh_token: expect.any(String),
    })
  }
}
