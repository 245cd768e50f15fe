/** `signedAssertion()`: a client that authenticates with a signature (`private_key_jwt`). */
import { importJWK, type JWK, SignJWT } from 'jose'
import { requireSecret, type Secret } from '../../auth/login/secret.ts'
import { randomToken } from '../../platform/random-token.ts'
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
      const jwk = JSON.parse(requireSecret(key, env)) as JWK & { readonly alg: string }
      const assertion = await new SignJWT()
        .setProtectedHeader({ alg: jwk.alg, ...(jwk.kid !== undefined && { kid: jwk.kid }) })
        .setIssuer(clientId)
        .setSubject(clientId)
        .setAudience(audience)
        .setJti(randomToken())
        .setIssuedAt()
        .setExpirationTime(`${LIFETIME_SECONDS}s`)
        .sign(await importJWK(jwk))
      return { client_assertion_type: TYPE, client_assertion: assertion }
    },
  }
}
