/** A request to the token endpoint, after its form was read and its client has authenticated. */
import type { Client } from '../../clients/clients.ts'
import { OAuthError } from '../../oauth-error.ts'
import type { AuthorizationServer } from '../authorization-server.ts'

export interface TokenRequest {
  readonly server: AuthorizationServer
  readonly params: ReadonlyMap<string, string>
  readonly client: Client
  /** The thumbprint of the key that the client has proven to hold. */
  readonly dpopJkt: string | undefined
}

/** @throws {OAuthError} `invalid_request` */
export function required({ params }: TokenRequest, name: string): string {
  const value = params.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required`)
  return value
}

/** One refusal for every fault of a grant: what was wrong with it is nobody's business. */
export function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'The grant is invalid, expired, used or revoked')
}
