/** `signedAssertion()`: a client that authenticates with a signature (`private_key_jwt`). */
import { requireSecret, type Secret } from '../../auth/login/secret.ts'
import {
  checkAlgorithms,
  importJwk,
  type SignatureAlgorithm,
} from '../../auth/resource/algorithms.ts'
import { signJws } from '../../auth/resource/jws.ts'
import { randomToken } from '../../platform/random-token.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ClientAssertion } from './oauth.ts'

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const LIFETIME_SECONDS = 60

/**
 * @param key a private JWK as JSON, with `alg`, and with `kid` where the service has several keys
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-2.2
 */
export function signedAssertion({ key }: { readonly key: Secret }): ClientAssertion {
  return {
    async params(audience, clientId, env) {
      const jwk: JsonObject = JSON.parse(requireSecret(key, env))
      const alg = String(jwk.alg) as SignatureAlgorithm
      checkAlgorithms([alg])
      const iat = Math.floor(Date.now() / 1000)
      const claims = {
        ...{ iss: clientId, sub: clientId, aud: audience, jti: randomToken() },
        ...{ iat, exp: iat + LIFETIME_SECONDS },
      }
      const header = { alg, ...(jwk.kid !== undefined && { kid: jwk.kid }) }
      const assertion = await signJws(header, claims, await importJwk(jwk, alg, 'sign'))
      return { client_assertion_type: TYPE, client_assertion: assertion }
    },
  }
}
