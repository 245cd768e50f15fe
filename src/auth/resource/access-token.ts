/**
 * What a verified access token says.
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
  /** The resource that it is for, under its present URL; the first, where it is for several. */
  readonly resource: string
  readonly resources: readonly string[]
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** The grant that it was issued under, for tokens of the embedded issuer. */
  readonly grantId: string | undefined
  /** The key to the grant's props, still sealed. */
  readonly grantKey: string | undefined
  /** Thumbprint of the key that the token is bound to. */
  readonly jkt: string | undefined
  readonly claims: JsonObject
}

/** Where an issuer keeps what RFC 9068 has no single word for. */
export interface ClaimNames {
  /** The first that there is names the client. */
  readonly client: readonly string[]
  readonly scope: readonly string[]
  /** Only the embedded issuer speaks of our grants: another's words about them are nothing to us. */
  readonly grantId?: string
  readonly grantKey?: string
}

/** The claims must be exactly what the issuer signed, with its times already checked. */
export function readAccessToken(
  claims: JsonObject,
  audiences: Audiences,
  names: ClaimNames,
): AccessToken {
  const { iss, exp, aud } = claims
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
    grantId: names.grantId && optionalText(claims[names.grantId], names.grantId),
    grantKey: names.grantKey && optionalText(claims[names.grantKey], names.grantKey),
    jkt: thumbprintOf(claims.cnf),
    claims,
  }
}

/** @param description for the client: what is wrong with the token, nothing out of it */
export function invalidToken(description: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_token', description, { cause })
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
  throw invalidToken(`The access token must say ${name}`)
}

function optionalText(value: JsonValue | undefined, name: string): string | undefined {
  return value === undefined ? undefined : textOf(value, name)
}

function audienceOf(aud: JsonValue | undefined): readonly string[] {
  const list = Array.isArray(aud) ? aud : [aud]
  return list.filter((name) => typeof name === 'string').map(comparable)
}

/** A list with spaces between, or an array, as some issuers have it. None is a token that may nothing. */
function scopesOf(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return []
  const list = typeof value === 'string' ? value.split(' ') : value
  if (!Array.isArray(list) || list.some((scope) => typeof scope !== 'string')) {
    throw invalidToken('scope must be scope tokens with spaces between them')
  }
  return list.filter((scope) => scope !== '')
}

/**
 * A token that is bound to something we cannot check must not pass as one that is not bound.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7800#section-3.1
 */
function thumbprintOf(cnf: JsonValue | undefined): string | undefined {
  if (cnf === undefined) return undefined
  const methods = isJsonObject(cnf) ? Object.keys(cnf) : []
  if (isJsonObject(cnf) && methods.length === 1 && typeof cnf.jkt === 'string') return cnf.jkt
  throw invalidToken('The access token is bound in a way that is not supported')
}
