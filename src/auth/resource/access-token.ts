/**
 * The claims of a verified access token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-2.2
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { OAuthError } from '../oauth-error.ts'
import { type Audiences, comparable } from './resources.ts'

export interface AccessToken {
  readonly issuer: string
  readonly subject: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The URL of the resource that the token was issued for; the first one if there are several. */
  readonly resource: string
  readonly resources: readonly string[]
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Epoch milliseconds. */
  readonly issuedAt?: number | undefined
  /** The grant of the token, if the embedded issuer issued it. */
  readonly grantId: string | undefined
  /** The sealed key of the grant's props. */
  readonly grantKey: string | undefined
  /** Thumbprint of the key that the token is bound to. */
  readonly jkt: string | undefined
  readonly claims: JsonObject
}

/** The names of claims that differ between issuers. */
export interface ClaimNames {
  /** The first claim that exists is used. */
  readonly client: readonly string[]
  readonly scope: readonly string[]
  /** Only for the embedded issuer: no other issuer may name grants of this server. */
  readonly grantId?: string
  readonly grantKey?: string
}

/**
 * Reads the claims of a token whose signature and times were verified.
 *
 * @throws {OAuthError} `invalid_token`
 */
export function readAccessToken(
  claims: JsonObject,
  audiences: Audiences,
  names: ClaimNames,
): AccessToken {
  const { iss, exp, iat, aud } = claims
  const resources = [...new Set(audienceOf(aud).flatMap((name) => audiences.get(name) ?? []))]
  const [resource] = resources
  if (resource === undefined) throw wrongResource()
  if (typeof exp !== 'number' || !Number.isFinite(exp)) throw invalidToken('exp must be a number')
  return {
    issuer: textOf(iss, 'iss'),
    subject: textOf(claims.sub, 'sub'),
    clientId: textOf(first(claims, names.client), names.client.join(' or ')),
    scopes: scopesOf(first(claims, names.scope)),
    resource,
    resources,
    expiresAt: exp * 1000,
    issuedAt: typeof iat === 'number' ? iat * 1000 : undefined,
    grantId: names.grantId && optionalText(claims[names.grantId], names.grantId),
    grantKey: names.grantKey && optionalText(claims[names.grantKey], names.grantKey),
    jkt: thumbprintOf(claims.cnf),
    claims,
  }
}

/** @param description for the client. It must not contain values of the token. */
export function invalidToken(description: string): OAuthError {
  return new OAuthError('invalid_token', description)
}

export function wrongResource(): OAuthError {
  return invalidToken('The access token was issued for another resource')
}

function first(claims: JsonObject, names: readonly string[]): JsonValue | undefined {
  const name = names.find((candidate) => Object.hasOwn(claims, candidate))
  return name === undefined ? undefined : claims[name]
}

function textOf(value: JsonValue | undefined, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalidToken(`The access token must have ${name}`)
}

function optionalText(value: JsonValue | undefined, name: string): string | undefined {
  return value === undefined ? undefined : textOf(value, name)
}

function audienceOf(aud: JsonValue | undefined): readonly string[] {
  const list = Array.isArray(aud) ? aud : [aud]
  return list.filter((name) => typeof name === 'string').map(comparable)
}

/** Scopes are separated by spaces; some issuers write an array. A token without the claim has no scopes. */
function scopesOf(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return []
  const list = typeof value === 'string' ? value.split(' ') : value
  if (!Array.isArray(list) || list.some((scope) => typeof scope !== 'string')) {
    throw invalidToken('scope must be scope tokens separated by spaces')
  }
  return list.filter((scope) => scope !== '')
}

/**
 * Reads the thumbprint of the key that a token is bound to. Rejects any other confirmation method: a
 * token whose binding cannot be checked must not be accepted as an unbound one.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7800#section-3.1
 */
function thumbprintOf(cnf: JsonValue | undefined): string | undefined {
  if (cnf === undefined) return undefined
  const methods = isJsonObject(cnf) ? Object.keys(cnf) : []
  if (isJsonObject(cnf) && methods.length === 1 && typeof cnf.jkt === 'string') return cnf.jkt
  throw invalidToken('The access token is bound in a way that is not supported')
}
