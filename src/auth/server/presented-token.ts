/**
 * The tokens that clients send to the endpoints of revocation and introspection, and the client of each.
 *
 * A client id is a seal of 90 days. A live grant keeps what its registered client needs to authenticate, so a refresh
 * token whose grant names exactly that id identifies the client afterwards. Configured clients and clients with a
 * document are not in grants: they end when they are removed.
 */
import type { Account } from '../../ports/accounts.ts'
import type { RefreshState } from '../../ports/grant-tokens.ts'
import type { Client } from '../clients/client.ts'
import type { PublicJwk } from '../clients/client-jwks.ts'
import { presentsClient } from '../clients/presented-credentials.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { SealedRefresh } from './issue-tokens.ts'
import { required } from './read-form.ts'
import { openJson } from './sealed-json.ts'

interface PresentedRefreshToken {
  readonly kind: 'refresh'
  readonly account: Account
  readonly grantId: string
  readonly state: RefreshState
}

export type PresentedToken =
  | { readonly kind: 'access'; readonly token: AccessToken }
  | PresentedRefreshToken

/**
 * Authenticates the client, and reads the token that it sends.
 *
 * @param options.anonymous the `invalid_client` error for a request that names no client. Default: `invalid_request`
 * @throws {OAuthError} `invalid_client`, or `invalid_request` without a token
 */
export async function readPresentation(
  server: AuthorizationServer,
  headers: Headers,
  params: ReadonlyMap<string, string>,
  { anonymous }: { readonly anonymous?: string } = {},
): Promise<{ readonly client: Client; readonly token: string }> {
  // Without a token either, the request is malformed.
  if (anonymous !== undefined && params.has('token') && !presentsClient(headers, params)) {
    throw new OAuthError('invalid_client', anonymous)
  }
  const client = await authenticateClient(server, headers, params, params.get('token'))
  return { client, token: required(params, 'token') }
}

/**
 * Authenticates the client of a request, with its registration or with the live grant of its refresh token.
 *
 * @throws {OAuthError} see `ClientAuthentication`
 */
export function authenticateClient(
  server: AuthorizationServer,
  headers: Headers,
  params: ReadonlyMap<string, string>,
  refreshToken: string | undefined,
): Promise<Client> {
  return server.authenticateClient(headers, params, (id) =>
    findExpiredRegistration(server, id, refreshToken),
  )
}

/** Undefined when the text is no token of this server, or an expired one. */
export async function readToken(
  server: AuthorizationServer,
  text: string,
): Promise<PresentedToken | undefined> {
  const refresh = await readRefreshToken(server, text)
  if (refresh !== undefined) return refresh
  const token = await server.verifyAccessToken(text)
  return token && { kind: 'access', token }
}

/** Undefined when the text is no refresh token of a live grant of this server. */
async function readRefreshToken(
  server: AuthorizationServer,
  text: string | undefined,
): Promise<PresentedRefreshToken | undefined> {
  const refresh = await openJson<SealedRefresh>(server, 'refresh-token/1', text)
  if (refresh === undefined) return undefined
  const account = server.accounts.byName(refresh.account)
  const state = await account.inspectRefresh(refresh.grant, refresh.secret)
  return state && { kind: 'refresh', account, grantId: refresh.grant, state }
}

/**
 * Returns the client of a refresh token's live grant, for the exchange of that token alone: a registration
 * lasts 90 days, and a grant up to a year, which contains what is needed to authenticate its client.
 * Undefined for any other client: a configured client that the author has removed must not return.
 */
async function findExpiredRegistration(
  server: AuthorizationServer,
  clientId: string,
  refreshToken: string | undefined,
): Promise<Client | undefined> {
  const presented = await readRefreshToken(server, refreshToken)
  if (presented === undefined) return undefined
  const { id, name, registration, authMethod, secretHash } = presented.state.client
  if (id !== clientId || registration === undefined) return undefined
  const { jwks, jwksUri, dpopBound = false } = registration
  return {
    ...{ id, kind: 'registered', name, uri: undefined, host: undefined, redirectUris: [] },
    ...{ authMethod, secretHash, grantTypes: ['refresh_token'], scopes: undefined },
    // They were checked when the client was registered.
    jwks: jwks === undefined ? undefined : (JSON.parse(jwks) as readonly PublicJwk[]),
    ...{ jwksUri, dpopBound },
  }
}
