/** `dpop()`: tokens that are bound to a key of their client (RFC 9449). */

import { type AuthFeature, createAuthFeature } from '../feature/auth-feature.ts'
import {
  createDpopCheck,
  createDpopProofs,
  createDpopSupport,
  DPOP_ALGORITHMS,
} from '../resource/dpop.ts'

/**
 * For `embedded()` and `external()`. Accepts DPoP proofs: a token that a client requests with a proof is worth nothing without the client's key.
 * Clients without proofs receive bearer tokens all the same.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export function dpop(): AuthFeature<'dpop'> {
  return createAuthFeature('dpop', {
    clients: { dpop: true },
    createDpop: createDpopSupport,
    create: ({ sealer }) => ({
      metadata: { dpop_signing_alg_values_supported: DPOP_ALGORITHMS },
      checkDpop: createDpopCheck(
        createDpopProofs({ redeem: (name, expiresAt) => sealer.redeem(name, expiresAt) }),
      ),
    }),
  })
}
