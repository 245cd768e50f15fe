/** Clients of the protected server, and the people who authorize them. */
import { createHash, randomBytes } from 'node:crypto'
import { answerConsent, type Browser, openBrowser, type Subject } from '../clients/auth/browser.ts'
import { type RawResponse, readResponse } from '../clients/auth/raw.ts'
import type { ServedEndpoint } from './upgrade-server.ts'

export interface HeldClient {
  readonly id: string
  readonly secret?: string
  readonly redirectUri: string
}

export interface HeldCode {
  readonly code: string
  readonly verifier: string
}

export interface Tokens {
  readonly access: string
  readonly refresh: string
}

export interface Consent {
  readonly as?: Subject
  readonly scope?: string
  readonly browser?: Browser
}

/** Registers a client: public, unless the metadata say otherwise. */
export async function register(
  { origin, fetch }: ServedEndpoint,
  metadata: { readonly redirect_uris?: readonly [string]; readonly [member: string]: unknown } = {},
): Promise<HeldClient> {
  const [redirectUri] = metadata.redirect_uris ?? ['http://127.0.0.1:43117/callback']
  const { status, body } = await readResponse(
    await fetch(
      new Request(`${origin}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'An app',
          token_endpoint_auth_method: 'none',
          ...metadata,
          redirect_uris: [redirectUri],
        }),
      }),
    ),
  )
  if (status !== 201) throw new Error(`Not registered: ${status} ${JSON.stringify(body)}`)
  return { id: body.client_id, secret: body.client_secret, redirectUri }
}

export function authorizeUrl(
  { origin, url }: ServedEndpoint,
  { id, redirectUri }: HeldClient,
  verifier: string,
  scope = 'read write',
): URL {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: url,
    scope,
  })
  return new URL(`${origin}/authorize?${query}`)
}

export function createVerifier(): string {
  return randomBytes(32).toString('base64url')
}

/** @throws when the redirect has no code */
export function codeIn(callback: URL | undefined): string {
  const code = callback?.searchParams.get('code')
  if (typeof code !== 'string') throw new Error(`No code: ${callback}`)
  return code
}

/** Obtains a code through the consent page. */
export async function obtainCode(
  server: ServedEndpoint,
  client: HeldClient,
  { as = 'owner', scope, browser = openBrowser(server) }: Consent = {},
): Promise<HeldCode> {
  const verifier = createVerifier()
  const callback = await answerConsent(browser, authorizeUrl(server, client, verifier, scope), {
    as,
  })
  return { code: codeIn(callback), verifier }
}

export async function postForm(
  { origin, fetch }: ServedEndpoint,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawResponse> {
  const body = new URLSearchParams({ ...fields })
  return readResponse(await fetch(new Request(origin + path, { method: 'POST', headers, body })))
}

function credentialsOf({ id, secret }: HeldClient): Record<string, string> {
  return { client_id: id, ...(secret !== undefined && { client_secret: secret }) }
}

export function redeem(
  server: ServedEndpoint,
  client: HeldClient,
  { code, verifier }: HeldCode,
  headers?: Readonly<Record<string, string>>,
): Promise<RawResponse> {
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: client.redirectUri,
    ...credentialsOf(client),
  }
  return postForm(server, '/token', form, headers)
}

export function refresh(
  server: ServedEndpoint,
  client: HeldClient,
  refreshToken: string,
  headers?: Readonly<Record<string, string>>,
): Promise<RawResponse> {
  const form = {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...credentialsOf(client),
  }
  return postForm(server, '/token', form, headers)
}

export function revoke(
  server: ServedEndpoint,
  client: HeldClient,
  token: string,
): Promise<RawResponse> {
  return postForm(server, '/revoke', { token, ...credentialsOf(client) })
}

/** @throws when the response has no tokens */
export function tokensIn({ status, body }: RawResponse): Tokens {
  if (status !== 200) throw new Error(`No tokens: ${status} ${JSON.stringify(body)}`)
  return { access: body.access_token, refresh: body.refresh_token }
}

export async function obtainTokens(
  server: ServedEndpoint,
  client: HeldClient,
  consent?: Consent,
): Promise<Tokens> {
  return tokensIn(await redeem(server, client, await obtainCode(server, client, consent)))
}

/** The HTTP status of a request with an access token. */
export async function statusWith(
  { url, fetch }: ServedEndpoint,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const request = new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  return (await readResponse(await fetch(request))).status
}

/** The ids of the published signing keys. */
export async function signingKeyIds({ origin, fetch }: ServedEndpoint): Promise<string[]> {
  const { body } = await readResponse(await fetch(new Request(`${origin}/.well-known/jwks.json`)))
  return body.keys.map(({ kid }: { readonly kid: string }) => kid)
}
