/** `assertions()`: identity assertions of trusted providers replace consent (enterprise-managed authorization). */
import { JWT_BEARER_GRANT } from '../clients/client.ts'
import { type AuthFeature, createAuthFeature } from '../feature/auth-feature.ts'
import { PLATFORM } from '../login/upstream-fetch.ts'
import {
  createAssertionCheck,
  type TrustedProviderOptions,
  trustedProvider,
} from '../server/assertion.ts'
import { exchangeAssertion } from '../server/grants/jwt-bearer.ts'

export interface AssertionsOptions {
  /** The identity providers whose assertions are accepted. At least one. */
  readonly trustedProviders: readonly TrustedProviderOptions[]
}

/**
 * By which clients recognise enterprise-managed authorization. It does not say which providers are trusted.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-identity-assertion-authz-grant-03.html#section-7.2
 */
const IDENTITY_ASSERTIONS = 'urn:ietf:params:oauth:grant-profile:id-jag'

/**
 * Exchanges identity assertions of trusted providers for access tokens. The administrator of the provider has
 * consented instead of the person.
 *
 * @throws {TypeError} from `createEdgeway`, when a provider is invalid
 */
export function assertions(options: AssertionsOptions): AuthFeature<'assertions'> {
  const createCheck = (
    issuer: string,
    redeem: (name: string, expiresAt: number) => Promise<boolean>,
  ) => {
    const { trustedProviders } = options
    const providers = trustedProviders.map((one) => trustedProvider(one, PLATFORM.fetch))
    return createAssertionCheck(issuer, providers, redeem)
  }
  return createAuthFeature('assertions', {
    check: () => {
      const { trustedProviders } = (options ?? {}) as { readonly trustedProviders?: unknown }
      if (!Array.isArray(trustedProviders) || trustedProviders.length === 0) {
        throw new TypeError('assertions({ trustedProviders }) must name at least one provider')
      }
      createCheck('', async () => false)
    },
    clients: { assertions: true },
    create: ({ issuer, sealer }) => {
      const verify = createCheck(issuer, (name, expiresAt) => sealer.redeem(name, expiresAt))
      return {
        metadata: { authorization_grant_profiles_supported: [IDENTITY_ASSERTIONS] },
        exchanges: { [JWT_BEARER_GRANT]: (request) => exchangeAssertion(verify, request) },
      }
    },
  })
}
