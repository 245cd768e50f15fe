/** A token request whose client has authenticated. */
import type { Client } from '../../clients/clients.ts'
import { OAuthError } from '../../oauth-error.ts'
import type { AuthorizationServer } from '../authorization-server.ts'

export interface TokenRequest {
  readonly server: AuthorizationServer
  readonly params: ReadonlyMap<string, string>
  readonly client: Client
  /** JWK thumbprint of the key of the DPoP proof; undefined without a proof. */
  readonly dpopJkt: string | undefined
  /** Marks the proof as used. Called once the grant is valid; see `VerifiedProof`. */
  readonly redeemProof: () => Promise<void>
}

/** @throws {OAuthError} `invalid_request` when the parameter is missing */
export function required({ params }: TokenRequest, name: string): string {
  const value = params.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required`)
  return value
}

/** One error for every fault of a code or refresh token, so that it discloses nothing about the grant. */
export function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'The grant is invalid, expired, used or revoked')
}
