/** Verifies personal access tokens beside the access tokens of the embedded authorization server. */
import { personalTokenClient } from '../../ports/personal-token.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { invalidToken, readAccessToken } from '../resource/access-token.ts'
import { audiencesOf, type Resources } from '../resource/resources.ts'
import { GRANT_CLAIMS, type TokenVerifier } from '../resource/token-verifier.ts'
import { sealGrantKey } from '../server/sealed-json.ts'
import { looksLikePersonalToken, openPersonalToken, personalTokenId } from './personal-token.ts'

export interface PersonalTokenVerifierOptions {
  readonly sealer: Sealer
  readonly resources: Resources
}

/**
 * A token is read as an access token whose grant is the row of the token in the account, so everything
 * that holds for access tokens holds for it. The seal proves that this server has created it; the check
 * of the grant, that it is neither revoked nor expired.
 *
 * @param verifier verifies all other tokens
 */
export function withPersonalTokens(
  verifier: TokenVerifier,
  { sealer, resources }: PersonalTokenVerifierOptions,
): TokenVerifier {
  const { issuer } = verifier
  const audiences = audiencesOf(resources)
  return {
    issuer,
    async verify(text) {
      if (!looksLikePersonalToken(text)) return verifier.verify(text)
      const token = await openPersonalToken({ sealer, issuer }, text)
      if (token === undefined) {
        throw invalidToken('The personal access token is not valid here, or has expired')
      }
      const { subject, key, resource, scopes, expiresAt } = token
      const id = await personalTokenId(token)
      return readAccessToken(
        {
          iss: issuer,
          sub: subject,
          aud: resource,
          exp: expiresAt / 1000,
          client_id: personalTokenClient(id),
          scope: [...scopes],
          [GRANT_CLAIMS.grantId]: id,
          [GRANT_CLAIMS.grantKey]: await sealGrantKey(sealer, id, key),
        },
        audiences,
        { client: ['client_id'], scope: ['scope'], ...GRANT_CLAIMS },
      )
    },
  }
}
