/** Reads the parameters of a token request whose client has authenticated. */
import { OAuthError } from '../../oauth-error.ts'
import type { TokenRequest } from '../authorization-server.ts'

export type { TokenRequest }

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
