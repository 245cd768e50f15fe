/**
 * Clients whose registration has expired while they hold a live grant. A registration lasts 90 days, and
 * a grant up to a year: the grant contains what is needed to authenticate its client until it ends.
 */
import type { Client } from '../clients/client.ts'
import type { PublicJwk } from '../clients/client-jwks.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { readRefreshToken } from './presented-refresh-token.ts'

/**
 * Returns the client of a refresh token's live grant, for the exchange of that token alone. Undefined for
 * any other client: a configured client that the author has removed must not return.
 */
export async function findExpiredRegistration(
  server: AuthorizationServer,
  clientId: string,
  refreshToken: string | undefined,
): Promise<Client | undefined> {
  const presented = refreshToken && (await readRefreshToken(server, refreshToken))
  if (!presented) return undefined
  const { id, name, registration } = presented.state.client
  if (id !== clientId || registration === undefined) return undefined
  const { authMethod, secretHash } = presented.state.client
  const { jwks, jwksUri, dpopBound = false } = registration
  return {
    ...{ id, kind: 'registered', name, uri: undefined, host: undefined, redirectUris: [] },
    ...{ authMethod, secretHash, grantTypes: ['refresh_token'], scopes: undefined },
    // They were checked when the client was registered.
    jwks: jwks === undefined ? undefined : (JSON.parse(jwks) as readonly PublicJwk[]),
    ...{ jwksUri, dpopBound },
  }
}
