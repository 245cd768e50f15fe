/** Access tokens of the authorization server next door. */
import { audiencesOf, type ResourceOptions } from './resources.ts'
import { createJwtVerifier, type TokenVerifier } from './token-verifier.ts'

/** The claims in which the authorization server keeps its grant: its id, and the sealed key to its props. */
export const GRANT_CLAIMS = { grantId: 'gid', grantKey: 'gk' } as const

export interface EmbeddedIssuerOptions {
  readonly issuer: string
  readonly resources: readonly ResourceOptions[]
  /** As `SigningKeys` has it. */
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
