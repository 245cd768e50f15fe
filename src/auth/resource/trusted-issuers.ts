/** Selects the trusted issuer that verifies a token. */
import { type AccessToken, invalidToken } from './access-token.ts'
import { payloadOf } from './jws.ts'
import type { TokenVerifier } from './token-verifier.ts'

/**
 * Returns a function that verifies a token with the issuer that it names. The unverified name only
 * selects among configured issuers; the selected one then requires its own name in the signed claims.
 *
 * @throws {TypeError} if no issuer is configured, or one is configured twice
 */
export function chooseIssuer(
  verifiers: readonly TokenVerifier[],
): (token: string) => Promise<AccessToken> {
  const [only] = verifiers
  if (only === undefined) throw new TypeError('At least one issuer must be configured')
  const byIssuer = new Map(verifiers.map((verifier) => [verifier.issuer, verifier]))
  if (byIssuer.size !== verifiers.length) throw new TypeError('An issuer is configured twice')
  if (verifiers.length === 1) return (token) => only.verify(token)
  return async (token) => {
    const verifier = byIssuer.get(unverifiedIssuer(token))
    if (verifier === undefined) throw invalidToken('The access token is from another issuer')
    return verifier.verify(token)
  }
}

function unverifiedIssuer(token: string): string {
  const claims = payloadOf({ signed: token.slice(0, token.lastIndexOf('.')) })
  if (claims === undefined) throw invalidToken('The access token is malformed')
  return typeof claims.iss === 'string' ? claims.iss : ''
}
