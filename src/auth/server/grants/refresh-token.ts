/**
 * Exchanges a refresh token for new tokens. The upstream renewal and the author's hook run before the
 * token is used up, so that their failure leaves the grant unchanged.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.3
 */
import type { Account, GrantState, RefreshRequest } from '../../../ports/accounts.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { LoginError } from '../../login/login.ts'
import { OAuthError } from '../../oauth-error.ts'
import { grantResponse, type SealedRefresh } from '../issue-tokens.ts'
import { splitScopes } from '../requested-scopes.ts'
import { resolveResource } from '../resource-parameter.ts'
import { openJson } from '../sealed-json.ts'
import { runHook } from './hook.ts'
import { refuseGrant } from './refuse-grant.ts'
import { invalidGrant, required, type TokenRequest } from './token-request.ts'

export async function refreshGrant(request: TokenRequest): Promise<JsonObject> {
  const { server, params, client, dpopJkt, redeemProof } = request
  const { sealer, issuer, accounts, hooks } = server
  const token = required(request, 'refresh_token')
  const refresh = await openJson<SealedRefresh>(sealer, 'refresh-token/1', token, issuer)
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
  const peeked =
    hooks.onRefresh || needsUpstream(request) ? await account.peekRefresh(requested) : undefined
  const renewal = peeked && (await renewUpstream(request, account, requested, peeked))
  const { claims, props } = renewal
    ? await runHook(server, hooks.onRefresh, renewal.state, async () => {})
    : { claims: {}, props: undefined }
  const newProps = props ?? renewal?.newProps
  const issued = await account.refresh({
    ...requested,
    // A concurrent refresh may have stored other props, with newer upstream tokens.
    ...(newProps && { newProps, propsVersion: renewal?.state.propsVersion }),
  })
  if ('refused' in issued) throw refuseGrant(server, issued)
  // After a refusal, the client receives the same successor with the next proof, within the grace.
  await redeemProof()
  return grantResponse(server, issued, claims)
}

function withoutOfflineAccess(scopes: readonly string[]): readonly string[] | undefined {
  const own = scopes.filter((scope) => scope !== 'offline_access')
  return own.length > 0 ? own : undefined
}

function needsUpstream({ server: { login } }: TokenRequest): boolean {
  return login.kind !== 'passphrase' && login.refresh !== undefined
}

const UPSTREAM_UNAVAILABLE = 'The sign-in provider is not available at the moment'

/** How often and how long a refresh waits for a concurrent one that upstream has accepted. */
const REPEAT_CHECKS = 4
const REPEAT_CHECK_MS = 250

interface Renewal {
  readonly state: GrantState
  /** Undefined when nothing was renewed. */
  readonly newProps?: GrantState['props']
}

/** The grant with renewed upstream tokens. When upstream has ended the sign-in, the grant is revoked. */
async function renewUpstream(
  { server }: TokenRequest,
  account: Account,
  requested: RefreshRequest,
  state: GrantState,
): Promise<Renewal> {
  const { login, env } = server
  const { grantId, subject, props, isRepeat } = state
  // A repeated refresh returns the tokens of the first one, which has renewed upstream's.
  if (login.kind === 'passphrase' || props === undefined || isRepeat) return { state }
  try {
    const newProps = await login.refresh?.(props, env, subject)
    return newProps === undefined ? { state } : { state: { ...state, props: newProps }, newProps }
  } catch (error) {
    if (!(error instanceof LoginError)) {
      server.report({ type: 'internal-error', error })
      throw new OAuthError('temporarily_unavailable', UPSTREAM_UNAVAILABLE, { cause: error })
    }
    // Of two concurrent refreshes, upstream accepts one. The other repeats its result.
    const repeat = await repeatOf(account, requested, state)
    if (repeat !== undefined) return { state: repeat }
    await account.revoke(grantId)
    const reason = 'upstream-sign-in-ended'
    throw refuseGrant(server, { refused: 'invalid_grant', reason, revoked: grantId })
  }
}

/**
 * The grant after a concurrent refresh of the same token, which in another isolate may still be running,
 * or after its props were replaced.
 */
async function repeatOf(
  account: Account,
  requested: RefreshRequest,
  { propsVersion }: GrantState,
): Promise<GrantState | undefined> {
  for (let check = 1; check <= REPEAT_CHECKS; check++) {
    const state = await account.peekRefresh(requested)
    if (state === undefined || state.isRepeat || state.propsVersion !== propsVersion) return state
    await new Promise((resolve) => setTimeout(resolve, REPEAT_CHECK_MS))
  }
  return undefined
}
