/** Reads the access token of a request from the Authorization header, the only accepted place. */
import { invalidRequest } from '../oauth-error.ts'
import { invalidToken } from './access-token.ts'

export type Scheme = 'Bearer' | 'DPoP'

export interface Credentials {
  readonly scheme: Scheme
  readonly token: string
}

/** Characters of the header value. A token that contains a sealed key has about one thousand. */
const MAX_HEADER_LENGTH = 8 * 1024

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-11.2 */
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

const SCHEMES: Readonly<Record<string, Scheme>> = { bearer: 'Bearer', dpop: 'DPoP' }

/**
 * Returns the credentials of a request, or undefined if it has none or those of another scheme, which
 * is not an error (RFC 6750 §3.1).
 *
 * @throws {OAuthError} `invalid_request` for a token in the query or several credentials, `invalid_token`
 *   for a malformed token
 */
export function readCredentials({ url, headers }: Request): Credentials | undefined {
  if (hasTokenInQuery(url)) throw invalidRequest('An access token must not be in the query')
  const header = headers.get('authorization')
  if (header === null) return undefined
  if (header.length > MAX_HEADER_LENGTH) throw invalidToken('The access token is too long')
  if (isJoined(header)) throw invalidRequest('There must be one set of credentials')
  const { scheme, rest } = split(header)
  if (scheme === undefined || rest === '') return undefined
  if (!TOKEN68.test(rest)) throw invalidToken('The access token is malformed')
  return { scheme, token: rest }
}

/** The scheme of a request's credentials, valid or not. Default `Bearer`. */
export function presentedScheme({ headers }: Request): Scheme {
  return split(headers.get('authorization') ?? '').scheme ?? 'Bearer'
}

/**
 * Whether one of several credentials is a token. The platform joins repeated headers with commas, which no token
 * contains. The parameters of other schemes, such as `Digest`, are separated by commas too.
 */
function isJoined(header: string): boolean {
  return header.includes(',') && header.split(',').some((part) => split(part.trim()).scheme)
}

function split(header: string): { readonly scheme: Scheme | undefined; readonly rest: string } {
  const space = header.indexOf(' ')
  const name = (space === -1 ? header : header.slice(0, space)).toLowerCase()
  return {
    scheme: Object.hasOwn(SCHEMES, name) ? SCHEMES[name] : undefined,
    rest: space === -1 ? '' : header.slice(space).trimStart(),
  }
}

/** Queries are recorded in logs, browser histories and referrers. @see https://www.rfc-editor.org/rfc/rfc9700#section-4.3.2 */
function hasTokenInQuery(url: string): boolean {
  const start = url.indexOf('?')
  return start !== -1 && new URLSearchParams(url.slice(start)).has('access_token')
}
