/**
 * Dynamic client registration: the request and the response.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-3
 */

import { DOCUMENT_BOUNDS, type JsonFault, parseBoundedJson } from '../../platform/bounded-json.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { readBody } from '../server/read-form.ts'
import type { ClientAuthMethod, ClientSupport } from './client.ts'
import { type ClientMetadata, checkClientMetadata, invalidMetadata } from './client-metadata.ts'
import type { RedirectPolicy } from './redirect-policy.ts'

const MAX_BODY_BYTES = 64 * 1024

/**
 * Reads the JSON of a registration request.
 *
 * @throws {OAuthError} `invalid_client_metadata` for a body that is too large (413), not JSON, or beyond `DOCUMENT_BOUNDS`
 */
export async function readRegistration(request: Request): Promise<unknown> {
  const text = await readBody(request, 'application/json', MAX_BODY_BYTES, invalidMetadata)
  if (text === undefined) {
    throw invalidMetadata(`The body is larger than ${MAX_BODY_BYTES} bytes`, { status: 413 })
  }
  const parsed = parseBoundedJson(text, DOCUMENT_BOUNDS)
  if (!parsed.ok) throw invalidMetadata(FAULTS[parsed.fault])
  return parsed.value
}

/** Length of the names in {@link appOf}, in UTF-16 code units. */
const MAX_APP_NAME = 64

/** The app that a registration claims to be, by its name and the host of its first redirect URI. */
export function appOf(metadata: unknown): string {
  if (!isJsonObject(metadata)) return ''
  const { client_name: name, redirect_uris: uris } = metadata
  const [uri] = Array.isArray(uris) ? uris : []
  const { protocol = '', hostname = '' } = (typeof uri === 'string' && URL.parse(uri)) || {}
  const parts = [protocol, hostname, typeof name === 'string' ? name : '']
  return parts.map((part) => part.slice(0, MAX_APP_NAME)).join(' ')
}

const FAULTS: Readonly<Record<JsonFault, string>> = {
  'too-deep': `The body nests more than ${DOCUMENT_BOUNDS.depth} levels`,
  'too-many-values': `The body has more than ${DOCUMENT_BOUNDS.values} values`,
  'not-json': 'The body is not JSON',
  'duplicate-key': 'The body repeats a key of an object',
}

/** The methods by which clients can authenticate, for the metadata too. */
export function clientAuthMethods({ keys }: ClientSupport): readonly ClientAuthMethod[] {
  return [
    'none',
    'client_secret_basic',
    'client_secret_post',
    ...(keys === undefined ? [] : (['private_key_jwt'] as const)),
  ]
}

/**
 * Applies the rules of open registration. RFC 7591 §2 defines the default method.
 *
 * @throws {OAuthError} see {@link checkClientMetadata}
 */
export function checkRegistration(
  value: unknown,
  redirects: RedirectPolicy,
  support: ClientSupport,
): ClientMetadata {
  return checkClientMetadata(value, {
    redirects,
    maxRedirectUris: 10,
    authMethods: clientAuthMethods(support),
    defaultAuthMethod: 'client_secret_basic',
    support,
  })
}

/** Returns the accepted metadata with its wire names. JSON omits undefined members. */
export function describeMetadata(metadata: ClientMetadata): JsonObject {
  const { jwks, scopes } = metadata
  return {
    redirect_uris: metadata.redirectUris,
    token_endpoint_auth_method: metadata.authMethod,
    grant_types: metadata.grantTypes,
    response_types: metadata.grantTypes.includes('authorization_code') ? ['code'] : [],
    client_name: metadata.name,
    client_uri: metadata.uri,
    logo_uri: metadata.logoUri,
    scope: scopes?.join(' '),
    jwks: jwks && { keys: jwks.map((key) => ({ ...key })) },
    jwks_uri: metadata.jwksUri,
    software_id: metadata.softwareId,
    software_version: metadata.softwareVersion,
    application_type: metadata.applicationType,
    dpop_bound_access_tokens: metadata.dpopBound || undefined,
  }
}
