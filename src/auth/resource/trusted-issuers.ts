/** Which of the trusted issuers is to verify a token. */
import { decodeJwt } from 'jose'
import { type AccessToken, invalidToken } from './access-token.ts'
import type { TokenVerifier } from './token-verifier.ts'

/**
 * Verifies with the issuer that the token names, which only chooses among those configured: the one
 * chosen then requires its own name under the signature.
 *
 * @throws {TypeError} for no issuer, or one that is there twice
 */
export function chooseIssuer(
  verifiers: readonly TokenVerifier[],
): (token: string) => Promise<AccessToken> {
  const [only] = verifiers
  if (only === undefined) throw new TypeError('At least one issuer must be trusted')
  const byIssuer = new Map(verifiers.map((verifier) => [verifier.issuer, verifier]))
  if (byIssuer.size !== verifiers.length) throw new TypeError('An issuer is named twice')
  if (verifiers.length === 1) return (token) => only.verify(token)
  return async (token) => {
    const verifier = byIssuer.get(unverifiedIssuer(token))
    if (verifier === undefined) throw invalidToken('The access token is from another issuer')
    return verifier.verify(token)
  }
}

function unverifiedIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch (error) {
    throw invalidToken('The access token is malformed', error)
  }
}
