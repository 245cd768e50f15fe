/** `personalAccessTokens()`: tokens that people create on `/account`. */
import { type AuthFeature, createAuthFeature } from '../feature/auth-feature.ts'
import { looksLikePersonalToken } from '../personal-tokens/personal-token.ts'
import {
  handleCreateToken,
  handleRevokeToken,
  revokePresentedToken,
} from '../personal-tokens/token-endpoints.ts'
import { TOKENS_SECTION } from '../personal-tokens/tokens-section.ts'
import { withPersonalTokens } from '../personal-tokens/verify-personal-token.ts'
import { ENDPOINT } from '../server/authorization-server.ts'

/**
 * Lets people create personal access tokens on `/account`, for programs that send a token in a header. Such a
 * token is used without a sign-in for as long as it lives. Without this feature, those that exist are refused.
 */
export function personalAccessTokens(): AuthFeature<'personalAccessTokens'> {
  return createAuthFeature('personalAccessTokens', {
    forms: new Map([
      [ENDPOINT.accountTokens, handleCreateToken],
      [ENDPOINT.accountTokensRevoke, handleRevokeToken],
    ]),
    create: ({ sealer, resources }) => ({
      wrapVerifier: (verifier) => withPersonalTokens(verifier, { sealer, resources }),
      accountSection: TOKENS_SECTION,
      async revokeToken(server, text) {
        if (!looksLikePersonalToken(text)) return false
        await revokePresentedToken(server, text)
        return true
      },
    }),
  })
}
