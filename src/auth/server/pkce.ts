/** PKCE with S256, required of every client: the challenge of an authorization request and the verifier of a code. */
import { sha256Base64Url } from '../../platform/digest.ts'
import { invalidRequest } from '../oauth-error.ts'

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

/**
 * Requires an S256 code challenge and returns it.
 *
 * An absent `code_challenge_method` is refused, not defaulted: its default is `plain`
 * (RFC 7636 §4.3), which this server never accepts.
 *
 * @throws {OAuthError} `invalid_request`
 * @see https://www.rfc-editor.org/rfc/rfc7636#section-4.4.1
 */
export function checkChallenge(params: ReadonlyMap<string, string>): string {
  if (params.get('code_challenge_method') !== 'S256') {
    throw invalidRequest('code_challenge_method must be S256')
  }
  const challenge = params.get('code_challenge')
  // SHA-256 is 32 bytes, so its unpadded base64url form is always 43 characters.
  if (challenge === undefined || !S256_CHALLENGE.test(challenge)) {
    throw invalidRequest('code_challenge must be a base64url SHA-256 digest')
  }
  return challenge
}

/**
 * Computes the challenge of the `code_verifier` in a token request.
 *
 * @throws {OAuthError} `invalid_request` when the verifier is missing or malformed
 * @see https://www.rfc-editor.org/rfc/rfc7636#section-4.5
 */
export function challengeOf(params: ReadonlyMap<string, string>): Promise<string> {
  const verifier = params.get('code_verifier')
  if (verifier === undefined || !VERIFIER.test(verifier)) {
    throw invalidRequest('code_verifier must be 43 to 128 unreserved characters')
  }
  return sha256Base64Url(verifier)
}
