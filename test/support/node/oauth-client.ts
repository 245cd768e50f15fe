/** Well-behaved OAuth clients of the protected server, and the people who authorize them. */
import { createHash, randomBytes } from 'node:crypto'
import {
  answerConsent,
  type Browser,
  openBrowser,
  type Subject,
} from '../../clients/auth/browser.ts'
import { type RawResponse, readResponse } from '../../clients/auth/raw.ts'
import { send } from '../../faults/sessions/send.ts'

/** A protected server, which may be reached by another port than its origin names. */
export interface ProtectedEndpoint {
  readonly origin: string
  /** The MCP endpoint. */
  readonly url: string
  readonly fetch: (request: Request) => Promise<Response>
}

/** An endpoint, or the issuer of a server that its origin reaches. */
export type Place = ProtectedEndpoint | string

const endpointOf = (place: Place): ProtectedEndpoint =>
  typeof place === 'string' ? { origin: place, url: `${place}/mcp`, fetch: (r) => send(r) } : place

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
  /** Default: the MCP endpoint. */
  readonly resource?: string
  readonly browser?: Browser
}

/** Registers a client: public, unless the metadata say otherwise. */
export async function register(
  place: Place,
  metadata: { readonly redirect_uris?: readonly [string]; readonly [member: string]: unknown } = {},
): Promise<HeldClient> {
  const { origin, fetch } = endpointOf(place)
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
  place: Place,
  { id, redirectUri }: Pick<HeldClient, 'id' | 'redirectUri'>,
  verifier: string,
  scope = 'read write',
  resource = endpointOf(place).url,
): URL {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource,
    scope,
  })
  return new URL(`${endpointOf(place).origin}/authorize?${query}`)
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
  place: Place,
  client: HeldClient,
  { as = 'owner', scope, resource, browser = openBrowser(endpointOf(place)) }: Consent = {},
): Promise<HeldCode> {
  const verifier = createVerifier()
  const url = authorizeUrl(place, client, verifier, scope, resource)
  const callback = await answerConsent(browser, url, { as })
  return { code: codeIn(callback), verifier }
}

export async function postForm(
  place: Place,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawResponse> {
  const { origin, fetch } = endpointOf(place)
  const body = new URLSearchParams({ ...fields })
  return readResponse(await fetch(new Request(origin + path, { method: 'POST', headers, body })))
}

function credentialsOf({ id, secret }: HeldClient): Record<string, string> {
  return { client_id: id, ...(secret !== undefined && { client_secret: secret }) }
}

export function redeem(
  server: Place,
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
  server: Place,
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

export function revoke(server: Place, client: HeldClient, token: string): Promise<RawResponse> {
  return postForm(server, '/revoke', { token, ...credentialsOf(client) })
}

/** @throws when the response has no tokens */
export function tokensIn({ status, body }: RawResponse): Tokens {
  if (status !== 200) throw new Error(`No tokens: ${status} ${JSON.stringify(body)}`)
  return { access: body.access_token, refresh: body.refresh_token }
}

export async function obtainTokens(
  server: Place,
  client: HeldClient,
  consent?: Consent,
): Promise<Tokens> {
  return tokensIn(await redeem(server, client, await obtainCode(server, client, consent)))
}

/** The HTTP status of a request with an access token. */
export async function statusWith(
  place: Place,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { url, fetch } = endpointOf(place)
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
export async function signingKeyIds({ origin, fetch }: ProtectedEndpoint): Promise<string[]> {
  const { body } = await readResponse(await fetch(new Request(`${origin}/.well-known/jwks.json`)))
  return body.keys.map(({ kid }: { readonly kid: string }) => kid)
}
