/** Verifies access tokens of the embedded authorization server. */
import { audiencesOf, type Resources } from './resources.ts'
import { createJwtVerifier, type TokenVerifier } from './token-verifier.ts'

/** The claims for the id of the grant and for the sealed key of its props. */
export const GRANT_CLAIMS = { grantId: 'gid', grantKey: 'gk' } as const

export interface EmbeddedIssuerOptions {
  readonly issuer: string
  readonly resources: Resources
  /** See `SigningKeys`. */
  readonly verificationKey: (kid: string) => Promise<CryptoKey | undefined>
  readonly now?: () => number
}

export function createEmbeddedVerifier({
  issuer,
  resources,
  verificationKey,
  now,
}: EmbeddedIssuerOptions): TokenVerifier {
  return createJwtVerifier({
    issuer,
    audiences: audiencesOf(resources),
    keys: async ({ kid }) => (kid === undefined ? undefined : verificationKey(kid)),
    claims: { client: ['client_id'], scope: ['scope'], ...GRANT_CLAIMS },
    expirySkewMs: 0,
    now,
  })
}
