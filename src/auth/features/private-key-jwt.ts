/** `privateKeyJwt()`: clients that authenticate with a signature instead of a secret (RFC 7523). */
import { checkAssertion, readAssertion } from '../clients/client-assertion.ts'
import { parsePublicJwk, readRegisteredKeys } from '../clients/client-jwks.ts'
import { createClientKeys } from '../clients/client-keys.ts'
import { type AuthFeature, createAuthFeature } from '../feature/auth-feature.ts'
import { ASSERTION_ALGORITHMS } from '../resource/algorithms.ts'

/**
 * Lets clients authenticate with `private_key_jwt`: configured ones, and those that register their public keys
 * or publish them.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-3
 */
export function privateKeyJwt(): AuthFeature<'privateKeyJwt'> {
  return createAuthFeature('privateKeyJwt', {
    clients: { keys: { parse: parsePublicJwk, registered: readRegisteredKeys } },
    create: ({ issuer, tokenEndpoint, sealer, documents, guardedFetch, strict, report }) => {
      const options = {
        keys: createClientKeys({ fetch: guardedFetch, store: documents }),
        audiences: strict ? [issuer] : [issuer, tokenEndpoint],
        report,
        redeem: (name: string, expiresAt: number) => sealer.redeem(name, expiresAt),
        now: Date.now,
      }
      return {
        metadata: {
          token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
          revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
          introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
        },
        clientAssertions: {
          read: readAssertion,
          check: (assertion, client, beforeFirst) =>
            checkAssertion(assertion, client, options, beforeFirst),
        },
      }
    },
  })
}
