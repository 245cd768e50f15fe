/**
 * Checks client metadata, from a registration or a client ID metadata document, and reduces it to what
 * this server supports. Null counts as absent, because many libraries write it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-2
 */
import { isJsonObject, isTextList, type JsonObject } from '../../protocol/json.ts'
import { isScopeToken } from '../../protocol/scope-token.ts'
import { OAuthError, type OAuthErrorOptions } from '../oauth-error.ts'
import {
  type Client,
  type ClientAuthMethod,
  type ClientGrantType,
  type ClientSupport,
  JWT_BEARER_GRANT,
  type RegisteredKeys,
} from './client.ts'
import { displayName } from './client-name.ts'
import type { RedirectPolicy } from './redirect-policy.ts'

export interface ClientMetadata extends Omit<Client, 'id' | 'kind' | 'host' | 'secretHash'> {
  /** Returned by the registration. Neither fetched nor displayed. */
  readonly logoUri: string | undefined
  readonly softwareId: string | undefined
  readonly softwareVersion: string | undefined
  readonly applicationType: 'native' | 'web' | undefined
}

export interface MetadataRules {
  readonly redirects: RedirectPolicy
  readonly maxRedirectUris: number
  readonly authMethods: readonly ClientAuthMethod[]
  /** The method of a client that names none. */
  readonly defaultAuthMethod: ClientAuthMethod
  readonly support: ClientSupport
}

const NO_KEYS: RegisteredKeys = { jwks: undefined, jwksUri: undefined }
const MAX_SCOPE_LENGTH = 1024
const MAX_WORD_LENGTH = 255
const MAX_LINK_LENGTH = 512

const PRINTABLE = /^[\x21-\x7e]+$/

/**
 * @throws {OAuthError} `invalid_redirect_uri` if no redirect URI is acceptable, and
 *   `invalid_client_metadata` for any other defect
 */
export function checkClientMetadata(value: unknown, rules: MetadataRules): ClientMetadata {
  if (!isJsonObject(value)) throw invalidMetadata('The client metadata must be a JSON object')
  const redirectUris = checkRedirectUris(value.redirect_uris, rules)
  const authMethod = checkAuthMethod(value.token_endpoint_auth_method, rules)
  const { keys, assertions, dpop } = rules.support
  const signs = authMethod === 'private_key_jwt'
  checkResponseTypes(value.response_types)
  const type = text(value, 'application_type', MAX_WORD_LENGTH)
  return {
    redirectUris,
    authMethod,
    grantTypes: checkGrantTypes(value.grant_types, signs && assertions === true),
    name: displayName(text(value, 'client_name', Number.POSITIVE_INFINITY) ?? ''),
    uri: link(value, 'client_uri'),
    logoUri: link(value, 'logo_uri'),
    scopes: checkScope(text(value, 'scope', MAX_SCOPE_LENGTH)),
    ...((signs && keys?.registered(value)) || NO_KEYS),
    softwareId: text(value, 'software_id', MAX_WORD_LENGTH),
    softwareVersion: text(value, 'software_version', MAX_WORD_LENGTH),
    applicationType: type === 'native' || type === 'web' ? type : undefined,
    // A server without DPoP ignores metadata about it, and issues bearer tokens.
    dpopBound: flag(value, 'dpop_bound_access_tokens') && dpop === true,
  }
}

/** Drops unacceptable URIs, because clients register all that they may ever need. Throws if none is left. */
function checkRedirectUris(
  value: unknown,
  { redirects, maxRedirectUris }: MetadataRules,
): readonly string[] {
  const uris = strings(value, 'redirect_uris', invalidUris)
  if (uris === undefined || uris.length === 0) {
    throw invalidUris('redirect_uris must name at least one URI')
  }
  if (uris.length > maxRedirectUris) {
    throw invalidUris(`redirect_uris must have at most ${maxRedirectUris} entries`)
  }
  const refusals = uris.map((uri) => redirects.refusal(uri))
  const accepted = uris.filter((_, index) => refusals[index] === undefined)
  if (accepted.length === 0) {
    throw invalidUris(`None of the redirect_uris is acceptable; the first one ${refusals[0]}`)
  }
  return [...new Set(accepted)]
}

function checkAuthMethod(
  value: unknown,
  { authMethods, defaultAuthMethod }: MetadataRules,
): ClientAuthMethod {
  if (isAbsent(value)) return defaultAuthMethod
  const method = authMethods.find((known) => known === value)
  if (method === undefined) {
    throw invalidMetadata(`token_endpoint_auth_method must be one of ${authMethods.join(', ')}`)
  }
  return method
}

/**
 * Returns the grants of a client that registered itself. Client credentials are excluded: they would
 * give access without a person's consent. Every connection with consent may be refreshed, even if the
 * client did not request it (RFC 7591 §3.2.1 lets the server add grants).
 */
function checkGrantTypes(value: unknown, mayAssert: boolean): readonly ClientGrantType[] {
  const requested = strings(value, 'grant_types') ?? ['authorization_code']
  const granted: ClientGrantType[] = []
  if (requested.includes('authorization_code')) granted.push('authorization_code', 'refresh_token')
  if (requested.includes(JWT_BEARER_GRANT) && mayAssert) granted.push(JWT_BEARER_GRANT)
  if (granted.length === 0) throw invalidMetadata('grant_types must include authorization_code')
  return granted
}

function checkResponseTypes(value: unknown): void {
  const types = strings(value, 'response_types') ?? []
  if (types.length > 0 && !types.includes('code'))
    throw invalidMetadata('response_types must include code')
}

function checkScope(scope: string | undefined): readonly string[] | undefined {
  const trimmed = scope?.trim()
  if (trimmed === undefined || trimmed === '') return undefined
  const names = trimmed.split(' ')
  if (!names.every(isScopeToken))
    throw invalidMetadata('scope must be scope tokens separated by one space')
  return [...new Set(names)]
}

/** Optional for display: drops an invalid URL instead of rejecting the metadata. */
function link(value: JsonObject, name: string): string | undefined {
  const uri = text(value, name, Number.POSITIVE_INFINITY)
  if (uri === undefined || uri.length > MAX_LINK_LENGTH || !PRINTABLE.test(uri)) return undefined
  const url = URL.parse(uri)
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? uri : undefined
}

/** @throws {OAuthError} `invalid_client_metadata` for anything but a text */
export function text(value: JsonObject, name: string, maxLength: number): string | undefined {
  const member = value[name]
  if (isAbsent(member)) return undefined
  if (typeof member !== 'string') throw invalidMetadata(`${name} must be a string`)
  if (member.length > maxLength)
    throw invalidMetadata(`${name} is longer than ${maxLength} characters`)
  return member
}

function flag(value: JsonObject, name: string): boolean {
  const member = value[name]
  if (isAbsent(member)) return false
  if (typeof member !== 'boolean') throw invalidMetadata(`${name} must be a boolean`)
  return member
}

function strings(
  value: unknown,
  name: string,
  refuse = invalidMetadata,
): readonly string[] | undefined {
  if (isAbsent(value)) return undefined
  if (!isTextList(value)) {
    throw refuse(`${name} must be an array of strings`)
  }
  return value
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

export function invalidMetadata(description: string, options?: OAuthErrorOptions): OAuthError {
  return new OAuthError('invalid_client_metadata', description, options)
}

function invalidUris(description: string): OAuthError {
  return new OAuthError('invalid_redirect_uri', description)
}
