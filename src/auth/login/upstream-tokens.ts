/** Requests tokens from an upstream token endpoint. They are stored in the props of the grant. */
import type { Fetch } from '../../platform/bounded-fetch.ts'
import type { GrantProps } from '../../protocol/auth-info.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { RemoteError } from '../fetch/remote-error.ts'
import type { LoginRequest } from './login.ts'
import { fetchUpstream, type UpstreamAnswer } from './upstream-fetch.ts'

export interface TokenEndpoint {
  readonly url: string
  readonly clientId: string
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined
  /** How the secret is sent (RFC 6749 §2.3.1). */
  readonly authMethod: 'client_secret_basic' | 'client_secret_post'
  /** Converts an answer of another form to the standard one. */
  readonly readAnswer?: ((answer: JsonObject) => JsonObject) | undefined
}

/** The upstream tokens that hooks and handlers find in `props.upstream`. */
export interface UpstreamTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Expiry of the access token in epoch milliseconds; undefined when the upstream states none. */
  readonly expiresAt: number | undefined
  /** Granted scopes, separated by spaces; undefined when the upstream states none. */
  readonly scope: string | undefined
}

export interface TokenAnswer {
  readonly tokens: UpstreamTokens
  readonly idToken: string | undefined
}

export type KnownTokens = Pick<UpstreamTokens, 'accessToken'> & Partial<UpstreamTokens>

/** The upstream tokens in the props of a grant. */
export function tokensIn(props: GrantProps | undefined): KnownTokens | undefined {
  const { upstream } = (props ?? {}) as { readonly upstream?: Partial<UpstreamTokens> | null }
  return typeof upstream?.accessToken === 'string' ? (upstream as KnownTokens) : undefined
}

/** A token that expires sooner is renewed, so that a handler has time to use it. */
const MARGIN_MS = 60_000

export function isUsable({ expiresAt }: KnownTokens): boolean {
  return expiresAt === undefined || expiresAt > Date.now() + MARGIN_MS
}

export function codeGrant(code: string, { callbackUrl, codeVerifier }: LoginRequest) {
  const request = { redirect_uri: callbackUrl, code_verifier: codeVerifier }
  return { grant_type: 'authorization_code', code, ...request }
}

export function refreshGrant(refreshToken: string) {
  return { grant_type: 'refresh_token', refresh_token: refreshToken }
}

const MAX_TOKEN_LENGTH = 16 * 1024

/** @throws {RemoteError} with a code when the upstream refuses, without one when it is unavailable */
export async function requestTokens(
  fetch: Fetch,
  endpoint: TokenEndpoint,
  params: Readonly<Record<string, string>>,
  now: number,
): Promise<TokenAnswer> {
  const { status, value } = await fetchUpstream(
    fetch,
    endpoint.url,
    authenticated(endpoint, params),
  )
  return readTokens({ status, value: endpoint.readAnswer?.(value) ?? value }, now)
}

/** A form that a client sends, with its credentials. */
export function authenticated(
  {
    clientId,
    clientSecret,
    authMethod,
  }: Pick<TokenEndpoint, 'clientId' | 'clientSecret' | 'authMethod'>,
  params: Readonly<Record<string, string>>,
) {
  const basic = clientSecret !== undefined && authMethod === 'client_secret_basic'
  const body = new URLSearchParams({ ...params, ...(basic ? undefined : { client_id: clientId }) })
  if (clientSecret !== undefined && !basic) body.set('client_secret', clientSecret)
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  if (basic) headers.authorization = basicCredentials(clientId, clientSecret)
  return { method: 'POST', headers, body: body.toString() } as const
}

function basicCredentials(clientId: string, clientSecret: string): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${btoa(`${encode(clientId)}:${encode(clientSecret)}`)}`
}

function readTokens({ status, value }: UpstreamAnswer, now: number): TokenAnswer {
  // GitHub returns errors with status 200.
  if (status !== 200 || value.error !== undefined) {
    const code = typeof value.error === 'string' ? value.error.slice(0, 100) : 'invalid_request'
    throw new RemoteError(`The token endpoint refused: ${code}`, { code })
  }
  const accessToken = tokenOf(value, 'access_token')
  const type = value.token_type
  if (accessToken === undefined || typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new RemoteError('The token endpoint returned no bearer token')
  }
  // Some providers send the number as a string.
  const seconds = Number(value.expires_in)
  const expires = value.expires_in !== undefined && Number.isFinite(seconds) && seconds > 0
  return {
    tokens: {
      accessToken,
      refreshToken: tokenOf(value, 'refresh_token'),
      expiresAt: expires ? now + seconds * 1000 : undefined,
      scope: typeof value.scope === 'string' ? value.scope : undefined,
    },
    idToken: tokenOf(value, 'id_token'),
  }
}

function tokenOf(value: JsonObject, name: string): string | undefined {
  const token = value[name]
  if (token === undefined || token === null) return undefined
  if (typeof token === 'string' && token !== '' && token.length <= MAX_TOKEN_LENGTH) return token
  throw new RemoteError(`The token endpoint returned no usable ${name}`)
}
