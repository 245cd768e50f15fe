/**
 * Exchanges a refresh token for new tokens. The upstream renewal and the author's hook run before the
 * token is used up, so that their failure leaves the grant unchanged.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.3
 */
import type { Account, GrantState, RefreshRequest } from '../../../ports/accounts.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { LoginError } from '../../login/login.ts'
import { grantResponse, type SealedRefresh } from '../issue-tokens.ts'
import { splitScopes } from '../requested-scopes.ts'
import { resolveResource } from '../resource-parameter.ts'
import { openJson } from '../sealed-json.ts'
import { runHook } from './hook.ts'
import { refuseGrant } from './refuse-grant.ts'
import { invalidGrant, required, type TokenRequest } from './token-request.ts'

export async function refreshGrant(request: TokenRequest): Promise<JsonObject> {
  const { server, params, client, dpopJkt } = request
  const { sealer, issuer, accounts, hooks } = server
  const token = required(request, 'refresh_token')
  const refresh = await openJson<SealedRefresh>(sealer, 'refresh-token', token, issuer)
  if (refresh === undefined) throw invalidGrant()
  const scope = params.get('scope')
  const resource = params.get('resource')
  const account = accounts.byName(refresh.account)
  const requested = {
    grantId: refresh.grant,
    refreshSecret: refresh.secret,
    clientId: client.id,
    scopes: scope === undefined ? undefined : withoutOfflineAccess(splitScopes(scope)),
    resource: resource === undefined ? undefined : resolveResource(server, resource),
    dpopJkt,
  }
  // A peek has no effect. A refusal is repeated by the refresh below, which reports it.
  const state =
    hooks.onRefresh || needsUpstream(request) ? await account.peekRefresh(requested) : undefined
  const renewed = state && (await renewUpstream(request, account, requested, state))
  const { claims, props } = state
    ? await runHook(
        server,
        hooks.onRefresh,
        { ...state, props: renewed ?? state.props },
        async () => {},
      )
    : { claims: {}, props: undefined }
  const newProps = props ?? renewed
  const issued = await account.refresh({ ...requested, ...(newProps && { newProps }) })
  if ('refused' in issued) throw refuseGrant(server, issued)
  return grantResponse(server, issued, claims)
}

function withoutOfflineAccess(scopes: readonly string[]): readonly string[] | undefined {
  const own = scopes.filter((scope) => scope !== 'offline_access')
  return own.length > 0 ? own : undefined
}

function needsUpstream({ server: { login } }: TokenRequest): boolean {
  return login.kind === 'redirect' && login.refresh !== undefined
}

/** Props with renewed upstream tokens. When upstream has ended the sign-in, the grant is revoked. */
async function renewUpstream(
  { server }: TokenRequest,
  account: Account,
  requested: RefreshRequest,
  { grantId, props, isRepeat }: GrantState,
): Promise<GrantState['props'] | undefined> {
  const { login, env } = server
  if (login.kind !== 'redirect' || login.refresh === undefined) return undefined
  // A repeated refresh returns the tokens of the first one, which has renewed upstream's.
  if (props === undefined || isRepeat) return undefined
  try {
    return await login.refresh(props, env)
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    // Of two concurrent refreshes, upstream accepts one. The other repeats its result.
    if ((await account.peekRefresh(requested))?.isRepeat === true) return undefined
    await account.revoke(grantId)
    const reason = 'upstream-sign-in-ended'
    throw refuseGrant(server, { refused: 'invalid_grant', reason, revoked: grantId })
  }
}
