/** The token that a request presents: in the Authorization header, once, and nowhere else. */
import { OAuthError } from '../oauth-error.ts'
import { invalidToken } from './access-token.ts'

export type Scheme = 'Bearer' | 'DPoP'

export interface Credentials {
  readonly scheme: Scheme
  readonly token: string
}

/** The whole header value, in characters. Tokens with a sealed key in them have about one thousand. */
const MAX_HEADER_LENGTH = 8 * 1024

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-11.2 */
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

const SCHEMES: Readonly<Record<string, Scheme>> = { bearer: 'Bearer', dpop: 'DPoP' }

/**
 * The credentials of a request; undefined where it has none, or some of another scheme, which is no
 * fault (RFC 6750 §3.1).
 *
 * @throws {OAuthError} `invalid_request` for a token in the query and for more than one, `invalid_token`
 *   for what cannot be a token
 */
export function readCredentials({ url, headers }: Request): Credentials | undefined {
  if (hasTokenInQuery(url)) {
    throw new OAuthError('invalid_request', 'An access token must not be in the query')
  }
  const header = headers.get('authorization')
  if (header === null) return undefined
  if (header.length > MAX_HEADER_LENGTH) throw invalidToken('The access token is too long')
  // Repeated headers arrive as one, with commas between; no token has one in it.
  if (header.includes(',')) {
    throw new OAuthError('invalid_request', 'There must be one set of credentials')
  }
  const { scheme, rest } = split(header)
  if (scheme === undefined || rest === '') return undefined
  if (!TOKEN68.test(rest)) throw invalidToken('The access token is malformed')
  return { scheme, token: rest }
}

/** How a request presents its token, whatever is wrong with it otherwise. */
export function presentedScheme({ headers }: Request): Scheme {
  return split(headers.get('authorization') ?? '').scheme ?? 'Bearer'
}

function split(header: string): { readonly scheme: Scheme | undefined; readonly rest: string } {
  const space = header.indexOf(' ')
  const name = (space === -1 ? header : header.slice(0, space)).toLowerCase()
  return {
    scheme: Object.hasOwn(SCHEMES, name) ? SCHEMES[name] : undefined,
    rest: space === -1 ? '' : header.slice(space).trimStart(),
  }
}

/** Queries end up in logs, histories and referrers. @see https://www.rfc-editor.org/rfc/rfc9700#section-4.3.2 */
function hasTokenInQuery(url: string): boolean {
  const start = url.indexOf('?')
  return start !== -1 && new URLSearchParams(url.slice(start)).has('access_token')
}
