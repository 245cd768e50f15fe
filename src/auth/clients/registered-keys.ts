/** Reads the keys of clients that authenticate with `private_key_jwt`, from their metadata. */
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { parsePublicUrl } from '../fetch/public-url.ts'
import { type PublicJwk, parsePublicJwk } from './client-jwks.ts'
import { invalid, isAbsent, text } from './client-metadata.ts'
import type { RegisteredKeys } from './client-support.ts'

const MAX_KEYS = 5

/**
 * RFC 7591 §2: one of the two, never both.
 *
 * @throws {OAuthError} `invalid_client_metadata`
 */
export function readRegisteredKeys(metadata: JsonObject): RegisteredKeys {
  const { jwks } = metadata
  const jwksUri = text(metadata, 'jwks_uri', Number.POSITIVE_INFINITY)
  if (isAbsent(jwks) === (jwksUri === undefined)) {
    throw invalid('private_key_jwt needs either jwks or jwks_uri')
  }
  if (jwksUri !== undefined) {
    if (parsePublicUrl(jwksUri) === undefined) throw invalid('jwks_uri must be a public https URL')
    return { jwks: undefined, jwksUri }
  }
  const keys = isJsonObject(jwks) ? jwks.keys : undefined
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS) {
    throw invalid(`jwks must be a set of 1 to ${MAX_KEYS} keys`)
  }
  return { jwks: keys.map(publicJwk), jwksUri: undefined }
}

function publicJwk(value: unknown): PublicJwk {
  const key = parsePublicJwk(value)
  if (!key.ok) throw invalid(`A key in jwks ${key.error}`)
  return key.value
}
