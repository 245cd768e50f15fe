/** The checks of an authorization request, each with its error. Their order is that of `authorize-request.ts`. */
import type { Client } from '../clients/clients.ts'
import { matchRedirectUri, type ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { limitNetwork } from '../over-limit.ts'
import type { AuthorizationServer } from './authorization-server.ts'

/** The parameters, each of which occurs once. */
type Params = ReadonlyMap<string, string>

/** In characters. A longer `state` may exceed the URL length that browsers and servers accept. */
const MAX_STATE_LENGTH = 4096

/** @throws {OAuthError} `invalid_request` without `client_id`, `invalid_client` for one that is not registered */
export async function findClient(
  server: AuthorizationServer,
  request: Request,
  params: URLSearchParams,
): Promise<Client> {
  const clientId = single(params, 'client_id')
  if (clientId === undefined) throw invalidRequest('client_id is required')
  const client = await server.clients.find(clientId, () =>
    limitNetwork(server.rateLimits, 'client-documents', request),
  )
  if (client !== undefined) return client
  const text = 'This app is not registered here any more. Please connect again from the app.'
  throw new OAuthError('invalid_client', text, { status: 400 })
}

/** @throws {OAuthError} `invalid_request` for a redirect URI that the client has not registered */
export function checkRedirectUri(client: Client, params: URLSearchParams): ValidatedRedirectUri {
  const redirectUri = matchRedirectUri(client.redirectUris, single(params, 'redirect_uri'))
  if (redirectUri !== undefined) return redirectUri
  throw invalidRequest('redirect_uri is not registered for this client')
}

/**
 * The `state` that can be returned unchanged, also with an error: one that occurs once and is UTF-8. Without a value it
 * counts as omitted (RFC 6749 §3.1).
 */
export function readState(params: URLSearchParams, search: string): string | undefined {
  const [state = '', ...others] = params.getAll('state')
  return state !== '' && others.length === 0 && isText(state, search) ? state : undefined
}

/**
 * A repeated `state` is refused with all other repeated parameters.
 *
 * @param state as {@link readState} has read it
 * @throws {OAuthError} `invalid_request` when `state` is not UTF-8, or too long
 */
export function checkState(params: URLSearchParams, state: string | undefined): void {
  const [sent = '', ...others] = params.getAll('state')
  if (sent !== '' && others.length === 0 && state === undefined) {
    throw invalidRequest('state must be UTF-8')
  }
  if ((state?.length ?? 0) > MAX_STATE_LENGTH) throw invalidRequest('state is too long')
}

/** @throws {OAuthError} `unauthorized_client` */
export function checkGrantType({ grantTypes }: Client): void {
  if (grantTypes.includes('authorization_code')) return
  throw new OAuthError('unauthorized_client', 'This client may not use authorization codes')
}

/** @throws {OAuthError} `invalid_request` for a request object (RFC 9101) */
export function checkNoRequestObject(params: Params): void {
  if (!params.has('request') && !params.has('request_uri')) return
  throw invalidRequest('Request objects are not supported')
}

/** @throws {OAuthError} `invalid_request` without `response_type`, `unsupported_response_type` for any but `code` */
export function checkResponseType(params: Params): void {
  if (!params.has('response_type')) throw invalidRequest('response_type is required')
  if (params.get('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
  }
}

/** @throws {OAuthError} `invalid_request` */
export function checkResponseMode(params: Params): void {
  if ((params.get('response_mode') ?? 'query') === 'query') return
  throw invalidRequest('response_mode must be query')
}

/**
 * A server without DPoP ignores the parameter: it could not redeem a code that is bound to a key.
 *
 * @throws {OAuthError} `invalid_request`
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-10
 */
export function checkDpopJkt(server: AuthorizationServer, params: Params): string | undefined {
  const dpopJkt = server.checkDpop && params.get('dpop_jkt')
  // SHA-256 is 32 bytes, so its unpadded base64url form is always 43 characters.
  if (dpopJkt === undefined || /^[A-Za-z0-9_-]{43}$/.test(dpopJkt)) return dpopJkt
  throw invalidRequest('dpop_jkt must be a JWK SHA-256 thumbprint')
}

/**
 * Whether `state` was valid UTF-8. Decoding replaces invalid bytes by U+FFFD, so they could not be
 * returned unchanged. Each U+FFFD must therefore be one in the encoded parameter too.
 */
function isText(state: string, search: string): boolean {
  const encoded = search.slice(1).split('&')
  const own = encoded.find((parameter) => new URLSearchParams(parameter).has('state')) ?? ''
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
  return count(state, /\ufffd/g) === count(own, /%EF%BF%BD|\ufffd/gi)
}

/** @throws {OAuthError} `invalid_request` when the parameter is repeated */
function single(params: URLSearchParams, name: string): string | undefined {
  const values = params.getAll(name)
  if (values.length > 1) throw invalidRequest('A parameter must not be included more than once')
  return values[0] === '' ? undefined : values[0]
}
