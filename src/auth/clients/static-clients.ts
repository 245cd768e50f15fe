/** Clients in the author's configuration: the only ones that may act without a person. */
import { parsePublicUrl } from '../fetch/public-url.ts'
import {
  type Client,
  type ClientAuthMethod,
  type ClientGrantType,
  MAX_CLIENT_ID_LENGTH,
} from './client.ts'
import { type PublicJwk, parsePublicJwk } from './client-jwks.ts'
import { displayName } from './client-name.ts'
import { SECRET_HASH } from './client-secret.ts'
import { createRedirectPolicy, type RedirectOptions } from './redirect-policy.ts'

export interface StaticClientOptions {
  /** Printable ASCII. May be the URL of a client metadata document, which is then not fetched. */
  readonly id: string
  readonly name?: string
  /** The SHA-256 of a random secret, base64url: see `hashClientSecret`. */
  readonly secretHash?: string
  /** Public keys, or where they are published, for `private_key_jwt`. */
  readonly jwks?: readonly unknown[]
  readonly jwksUri?: string
  /** Needed for `authorization_code`. */
  readonly redirectUris?: readonly string[]
  /** Default: by what the client has, a secret, keys, or nothing. */
  readonly authMethod?: ClientAuthMethod
  /** Default: `authorization_code` and `refresh_token`. */
  readonly grantTypes?: readonly ClientGrantType[]
  /** What it may ask for. Default: everything. */
  readonly scopes?: readonly string[]
}

/**
 * The configured clients by their ids. Their redirect URIs need not be callbacks of a preset.
 *
 * @throws {TypeError} for a client that could not work, or not safely
 */
export function createStaticClients(
  clients: readonly StaticClientOptions[],
  { schemes }: RedirectOptions = {},
): ReadonlyMap<string, Client> {
  const redirects = createRedirectPolicy(schemes === undefined ? {} : { schemes })
  const byId = new Map<string, Client>()
  for (const options of clients) {
    const client = createStaticClient(options)
    const { id } = client
    if (byId.has(id)) throw misconfigured(id, 'there are two of them')
    for (const uri of client.redirectUris) {
      const refusal = redirects.refusal(uri)
      if (refusal !== undefined) throw misconfigured(id, `${JSON.stringify(uri)} ${refusal}`)
    }
    byId.set(id, client)
  }
  return byId
}

function createStaticClient(options: StaticClientOptions): Client {
  const { id, name, secretHash, jwksUri, redirectUris = [], scopes } = options
  const { grantTypes = ['authorization_code', 'refresh_token'] } = options
  if (!/^[\x21-\x7e]+$/.test(id) || id.length > MAX_CLIENT_ID_LENGTH) {
    throw misconfigured(id, 'an id is printable ASCII without spaces')
  }
  const jwks = options.jwks?.map((key) => checkKey(id, key))
  const hasKeys = jwks !== undefined || jwksUri !== undefined
  const authMethod =
    options.authMethod ??
    (secretHash !== undefined ? 'client_secret_basic' : hasKeys ? 'private_key_jwt' : 'none')
  checkCredentials(id, authMethod, { secretHash, jwks, jwksUri })
  if (grantTypes.includes('authorization_code') && redirectUris.length === 0) {
    throw misconfigured(id, 'authorization_code needs a redirect URI')
  }
  if (grantTypes.includes('client_credentials') && authMethod === 'none') {
    throw misconfigured(id, 'client_credentials needs a secret or keys')
  }
  return {
    ...{ id, kind: 'static', name: displayName(name ?? id), uri: undefined, host: undefined },
    ...{ redirectUris, authMethod, secretHash, jwks, jwksUri, grantTypes, scopes },
  }
}

function checkKey(id: string, value: unknown): PublicJwk {
  const key = parsePublicJwk(value)
  if (!key.ok) throw misconfigured(id, `a key ${key.error}`)
  return key.value
}

/** Exactly what the method needs: anything more would be a second way in, or an oversight. */
function checkCredentials(
  id: string,
  method: ClientAuthMethod,
  { secretHash, jwks, jwksUri }: Pick<Client, 'secretHash' | 'jwks' | 'jwksUri'>,
): void {
  const wantsSecret = method === 'client_secret_basic' || method === 'client_secret_post'
  if ((secretHash !== undefined) !== wantsSecret) {
    throw misconfigured(id, `${method} ${wantsSecret ? 'needs a' : 'has no'} secretHash`)
  }
  if (secretHash !== undefined && !SECRET_HASH.test(secretHash)) {
    throw misconfigured(id, 'secretHash must be a SHA-256 in base64url')
  }
  const sources = [jwks, jwksUri].filter((source) => source !== undefined).length
  if (sources !== (method === 'private_key_jwt' ? 1 : 0)) {
    throw misconfigured(id, 'private_key_jwt, and nothing else, needs either jwks or jwksUri')
  }
  if (jwksUri !== undefined && parsePublicUrl(jwksUri) === undefined) {
    throw misconfigured(id, 'jwksUri must be a public https URL')
  }
}

function misconfigured(id: string, what: string): TypeError {
  return new TypeError(`auth.clients: client ${JSON.stringify(id)}: ${what}`)
}
