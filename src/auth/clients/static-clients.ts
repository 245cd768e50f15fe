/** Clients in the author's configuration. Only these may use client credentials, without a person's consent. */
import { parsePublicUrl } from '../fetch/public-url.ts'
import {
  type Client,
  type ClientAuthMethod,
  type ClientGrantType,
  type ClientSupport,
  JWT_BEARER_GRANT,
  MAX_CLIENT_ID_LENGTH,
  usesSecret,
} from './client.ts'
import type { PublicJwk } from './client-jwks.ts'
import { displayName } from './client-name.ts'
import { SECRET_HASH } from './client-secret.ts'
import { createRedirectPolicy, type RedirectOptions } from './redirect-policy.ts'

export interface StaticClientOptions {
  /** Printable ASCII. It may be the URL of a client ID metadata document, which is then not fetched. */
  readonly id: string
  readonly name?: string
  /** The SHA-256 of a random secret as base64url without padding: 43 characters. */
  readonly secretHash?: string
  /** Public keys for `private_key_jwt`, or the URL of the published set. */
  readonly jwks?: readonly unknown[]
  readonly jwksUri?: string
  /** Required for `authorization_code`. */
  readonly redirectUris?: readonly string[]
  /** Default: derived from `secretHash`, `jwks` and `jwksUri`. */
  readonly authMethod?: ClientAuthMethod
  /** Default: `authorization_code` and `refresh_token`. */
  readonly grantTypes?: readonly ClientGrantType[]
  /** Scopes that the client may request. Default: all. */
  readonly scopes?: readonly string[]
  /** Refuses its token requests without a DPoP proof. Default: false. */
  readonly dpopBound?: boolean
}

/**
 * Checks configured clients and returns them by id. Their redirect URIs need not be callbacks of a preset.
 *
 * @throws {TypeError} for an invalid or unsafe configuration
 */
export function createStaticClients(
  clients: readonly StaticClientOptions[],
  { schemes }: RedirectOptions = {},
  support: ClientSupport = {},
): ReadonlyMap<string, Client> {
  const redirects = createRedirectPolicy(schemes === undefined ? {} : { schemes })
  const byId = new Map<string, Client>()
  for (const options of clients) {
    const client = createStaticClient(options, support)
    const { id } = client
    if (byId.has(id)) throw misconfigured(id, 'the id occurs twice')
    for (const uri of client.redirectUris) {
      const refusal = redirects.refusal(uri)
      if (refusal !== undefined) throw misconfigured(id, `${JSON.stringify(uri)} ${refusal}`)
    }
    byId.set(id, client)
  }
  return byId
}

function createStaticClient(options: StaticClientOptions, support: ClientSupport): Client {
  const { id, name, secretHash, jwksUri, redirectUris = [], scopes, dpopBound = false } = options
  const { grantTypes = ['authorization_code', 'refresh_token'] } = options
  if (!/^[\x21-\x7e]+$/.test(id) || id.length > MAX_CLIENT_ID_LENGTH) {
    throw misconfigured(id, 'the id must be printable ASCII without spaces')
  }
  const hasKeys = options.jwks !== undefined || jwksUri !== undefined
  const authMethod =
    options.authMethod ??
    (secretHash !== undefined ? 'client_secret_basic' : hasKeys ? 'private_key_jwt' : 'none')
  checkSupport(options, authMethod, support)
  const jwks = options.jwks?.map((key) => checkKey(id, key, support))
  checkCredentials(id, authMethod, { secretHash, jwks, jwksUri })
  if (grantTypes.includes('authorization_code') && redirectUris.length === 0) {
    throw misconfigured(id, 'authorization_code needs a redirect URI')
  }
  if (grantTypes.includes('client_credentials') && authMethod === 'none') {
    throw misconfigured(id, 'client_credentials needs a secret or keys')
  }
  return {
    ...{ id, kind: 'static', name: displayName(name ?? id), uri: undefined, host: undefined },
    ...{ redirectUris, authMethod, secretHash, jwks, jwksUri, grantTypes, scopes, dpopBound },
  }
}

/** A client that this server could never serve is a mistake of its configuration. */
function checkSupport(
  { id, jwks, jwksUri, grantTypes, dpopBound }: StaticClientOptions,
  authMethod: ClientAuthMethod,
  { keys, assertions, dpop }: ClientSupport,
): void {
  const signs = authMethod === 'private_key_jwt' || jwks !== undefined || jwksUri !== undefined
  const asserts = grantTypes?.includes(JWT_BEARER_GRANT)
  const absent = [
    signs && keys === undefined && 'privateKeyJwt()',
    asserts && assertions !== true && 'assertions({ … })',
    dpopBound && dpop !== true && 'dpop()',
  ].find((name) => typeof name === 'string')
  if (absent !== undefined) throw misconfigured(id, `it needs embedded({ features: [${absent}] })`)
}

function checkKey(id: string, value: unknown, { keys }: ClientSupport): PublicJwk {
  const key = keys?.parse(value)
  if (key?.ok) return key.value
  throw misconfigured(id, `a key ${key?.error}`)
}

/** Requires exactly the credentials of the method. Others would be a second way to authenticate, or a mistake. */
function checkCredentials(
  id: string,
  method: ClientAuthMethod,
  { secretHash, jwks, jwksUri }: Pick<Client, 'secretHash' | 'jwks' | 'jwksUri'>,
): void {
  const needsSecret = usesSecret(method)
  if ((secretHash !== undefined) !== needsSecret) {
    throw misconfigured(id, `${method} ${needsSecret ? 'needs' : 'must not have'} a secretHash`)
  }
  if (secretHash !== undefined && !SECRET_HASH.test(secretHash)) {
    throw misconfigured(id, 'secretHash must be a SHA-256 in base64url')
  }
  const sources = [jwks, jwksUri].filter((source) => source !== undefined).length
  if (sources !== (method === 'private_key_jwt' ? 1 : 0)) {
    throw misconfigured(
      id,
      'private_key_jwt needs either jwks or jwksUri; other methods must not have them',
    )
  }
  if (jwksUri !== undefined && parsePublicUrl(jwksUri) === undefined) {
    throw misconfigured(id, 'jwksUri must be a public https URL')
  }
}

function misconfigured(id: string, defect: string): TypeError {
  return new TypeError(`auth.clients: client ${JSON.stringify(id)}: ${defect}`)
}
