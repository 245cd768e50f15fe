/**
 * Signs access tokens (RFC 9068) and builds token responses. An access token carries the sealed key to
 * the props of its grant, so that neither storage nor keyring decrypts props without a token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-2
 */

import type { IssuedGrant } from '../../ports/grant-tokens.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { AccessToken } from '../resource/access-token.ts'
import { signJws } from '../resource/jws.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { sealGrantKey, sealJson } from './sealed-json.ts'

/** The content of an access token. */
export interface TokenClaims
  extends Pick<AccessToken, 'subject' | 'clientId' | 'resource' | 'scopes'> {
  readonly dpopJkt: string | undefined
  readonly lifetimeMs: number
  /** Added beside the registered claims. */
  readonly claims: JsonObject
  readonly grant: { readonly id: string; readonly key: string } | undefined
}

/** The sealed content of a refresh token. */
export interface SealedRefresh {
  readonly account: string
  readonly grant: string
  readonly secret: string
  readonly expiresAt: number
}

/** Claims that a hook cannot replace: those of RFC 9068 and of this server. */
const RESERVED = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'client_id',
  'scope',
  'cnf',
  'gid',
  'gk',
])

async function signAccessToken(
  { issuer, signingKeys, sealer }: AuthorizationServer,
  { subject, clientId, resource, scopes, dpopJkt, lifetimeMs, claims, grant }: TokenClaims,
): Promise<string> {
  const { kid, key } = await signingKeys.signingKey()
  const own = Object.entries(claims).filter(([name]) => !RESERVED.has(name))
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    ...Object.fromEntries(own),
    client_id: clientId,
    scope: scopes.join(' '),
    ...(grant && { gid: grant.id, gk: await sealGrantKey(sealer, grant.id, grant.key) }),
    ...(dpopJkt === undefined ? undefined : { cnf: { jkt: dpopJkt } }),
    iss: issuer,
    sub: subject,
    aud: resource,
    iat: now,
    exp: now + Math.max(1, Math.floor(lifetimeMs / 1000)),
    jti: crypto.randomUUID(),
  }
  return signJws({ typ: 'at+jwt', kid, alg: 'ES256' }, payload, key)
}

/** Builds the token response for a redeemed code or refresh token. */
export async function grantResponse(
  server: AuthorizationServer,
  issued: IssuedGrant,
  claims: JsonObject,
): Promise<JsonObject> {
  const { accounts, limits } = server
  const { subject, client, resource, scopes, dpopJkt, grantId, grantKey } = issued
  const { expiresAt = Number.POSITIVE_INFINITY } = issued
  const lifetimeMs = Math.min(limits.accessTtlMs, expiresAt - Date.now())
  const accessToken = await signAccessToken(server, {
    subject,
    clientId: client.id,
    resource,
    scopes,
    dpopJkt,
    lifetimeMs,
    claims,
    grant: { id: grantId, key: grantKey },
  })
  const body = tokenBody(accessToken, lifetimeMs, scopes, dpopJkt)
  const { refreshSecret, refreshExpiresAt } = issued
  if (refreshSecret === undefined || refreshExpiresAt === undefined) return body
  const refresh: SealedRefresh = {
    account: await accounts.nameOf(subject),
    grant: grantId,
    secret: refreshSecret,
    expiresAt: refreshExpiresAt,
  }
  // Deterministic, so that a repeated refresh within the grace returns the same token.
  return { ...body, refresh_token: await sealJson(server, 'refresh-token/1', refresh, true) }
}

/** Builds the token response for a token without a grant, which cannot be refreshed or revoked. */
export async function serviceTokenResponse(
  server: AuthorizationServer,
  token: Pick<TokenClaims, 'subject' | 'clientId' | 'resource' | 'scopes' | 'dpopJkt'>,
): Promise<JsonObject> {
  const lifetimeMs = server.limits.serviceAccessTtlMs
  const claims = { ...token, lifetimeMs, claims: {}, grant: undefined }
  return tokenBody(await signAccessToken(server, claims), lifetimeMs, token.scopes, token.dpopJkt)
}

function tokenBody(
  accessToken: string,
  lifetimeMs: number,
  scopes: readonly string[],
  dpopJkt: string | undefined,
): JsonObject {
  return {
    access_token: accessToken,
    token_type: dpopJkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: Math.max(1, Math.floor(lifetimeMs / 1000)),
    scope: scopes.join(' '),
  }
}
