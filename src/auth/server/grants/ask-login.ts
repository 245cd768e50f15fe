/**
 * Asks the login about a grant that is about to be refreshed: it renews upstream tokens, and says what the
 * attributes of the person are now. One request of the deployment at a time asks for a grant.
 */
import { randomToken } from '../../../platform/random-token.ts'
import type { Account } from '../../../ports/accounts.ts'
import type { GrantState } from '../../../ports/grant.ts'
import type { RefreshRequest } from '../../../ports/grant-tokens.ts'
import { waitForLease } from '../../login/grant-lease.ts'
import type { ApiKeyLogin, AskLogin, RedirectLogin } from '../../login/login.ts'
import { LoginError } from '../../login/login-error.ts'
import { OAuthError } from '../../oauth-error.ts'
import { readAttributes } from '../../people/attributes.ts'
import type { AuthorizationServer } from '../authorization-server.ts'
import { joinProps } from '../stored-props.ts'
import { asStored, type PresentGrant } from './present-grant.ts'
import { refuseGrant } from './refuse-grant.ts'

const UPSTREAM_UNAVAILABLE = 'The sign-in provider is not available at the moment'

/**
 * Calls `refresh` with what the login says about the grant now; with undefined when the refresh would be
 * refused or revoke the grant. No other request asks until `refresh` has settled: after a rotation it finds
 * a repeated refresh, which does not ask.
 *
 * @throws {OAuthError} `invalid_grant` when the login has ended the sign-in, which revokes the grant;
 *   `temporarily_unavailable` when it cannot be asked now
 */
export const askLogin: AskLogin = async (login, server, account, requested, refresh) => {
  if (!canBeAsked(login)) {
    const state = await account.peekRefresh(requested)
    return refresh(state && asStored(state))
  }
  const renewal = { id: randomToken() }
  try {
    const state = await peek(account, { ...requested, renewal })
    return await refresh(state && (await presentGrant(server, login, account, requested, state)))
  } finally {
    const ends = { ...requested, renewal: { ...renewal, ends: true } }
    // A lease that cannot be given back ends by itself.
    await account.peekRefresh(ends).catch(() => undefined)
  }
}

async function presentGrant(
  server: AuthorizationServer,
  login: RedirectLogin | ApiKeyLogin,
  account: Account,
  requested: RefreshRequest,
  state: GrantState,
): Promise<PresentGrant> {
  const known = asStored(state)
  try {
    // A repeated refresh follows one that has asked.
    if (known.props === undefined || state.isRepeat) return known
    const renewed = await renew(server, login, account, requested, known)
    return login.kind === 'redirect' ? await withAttributes(server, login, renewed) : renewed
  } catch (error) {
    if (!(error instanceof LoginError) || error.reason === 'unavailable') {
      if (error instanceof OAuthError) throw error
      server.report({ type: 'internal-error', error })
      throw new OAuthError('temporarily_unavailable', UPSTREAM_UNAVAILABLE, { cause: error })
    }
    // The props may have been replaced since, with another API key.
    const present = await account.peekRefresh(requested)
    if (present !== undefined && present.propsVersion !== state.propsVersion) {
      return asStored(present)
    }
    const { grantId } = state
    await account.revoke(grantId)
    const reason = 'upstream-sign-in-ended'
    throw refuseGrant(server, { refused: 'invalid_grant', reason, revoked: grantId })
  }
}

function canBeAsked(login: RedirectLogin | ApiKeyLogin): boolean {
  const attributes = login.kind === 'redirect' ? login.attributes : undefined
  return (login.refresh ?? attributes) !== undefined
}

/** The grant, once no other request renews its tokens. */
async function peek(account: Account, requested: RefreshRequest): Promise<GrantState | undefined> {
  const peeked = await waitForLease(async () => {
    const state = await account.peekRefresh(requested)
    // A version without leases does not answer.
    return state?.leased === false ? undefined : { state }
  })
  if (peeked === undefined) throw new OAuthError('temporarily_unavailable', UPSTREAM_UNAVAILABLE)
  return peeked.state
}

/** Stores renewed tokens at once: the provider may refuse the old ones from now on. */
async function renew(
  { env }: AuthorizationServer,
  login: RedirectLogin | ApiKeyLogin,
  account: Account,
  requested: RefreshRequest,
  grant: PresentGrant,
): Promise<PresentGrant> {
  const { grantId, grantKey, propsVersion, attributes, subject } = grant
  const props = grant.props && (await login.refresh?.(grant.props, env, subject))
  if (props === undefined) return grant
  const renewed = { ...grant, props, isChanged: true }
  const stored = joinProps({ props, attributes })
  if (grantKey === undefined || stored === undefined) return renewed
  if (!(await account.setProps(grantId, grantKey, stored, { propsVersion }))) return renewed
  const state = await account.peekRefresh(requested)
  return { ...renewed, isChanged: false, propsVersion: state?.propsVersion ?? propsVersion }
}

async function withAttributes(
  { admission, env }: AuthorizationServer,
  login: RedirectLogin,
  grant: PresentGrant,
): Promise<PresentGrant> {
  if (admission === undefined || grant.props === undefined) return grant
  const found = await login.attributes?.(grant.props, admission.needs, env)
  return found === undefined
    ? grant
    : { ...grant, attributes: readAttributes(found), isChanged: true }
}
