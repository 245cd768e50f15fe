/**
 * Renews the upstream token of a grant. A provider may accept its refresh token once, so one request of the
 * deployment at a time renews the token of a grant; the others wait.
 */
import { randomToken } from '../../platform/random-token.ts'
import type { Account } from '../../ports/accounts.ts'
import type { GrantProps } from '../../protocol/auth-info.ts'
import { joinProps, splitProps } from '../server/stored-props.ts'
import { waitForLease } from './grant-lease.ts'
import type { HeldGrant, RedirectLogin, RenewalOutcome, RenewGrantTokens } from './login.ts'
import { LoginError } from './login-error.ts'
import { isUsable, tokensIn } from './upstream-tokens.ts'

/** How often renewed tokens are merged into props that another request replaces at the same time. */
const MAX_STORES = 3

export const renewGrantTokens: RenewGrantTokens = async (login, grant, env) => {
  const { account, id, key } = grant
  const lease = { id: randomToken() }
  const check = () => account.check(id, key, lease)
  const outcome = await waitForLease(async () => {
    const { active, props, leased } = await check()
    if (!active) return 'ended'
    // A version without leases does not answer.
    if (leased !== false) {
      // A lease that cannot be given back ends by itself.
      const giveBack = () => account.check(id, undefined, { ...lease, ends: true }).catch(() => {})
      return renewAsLeaseholder(login, grant, splitProps(props).props, check, env).finally(giveBack)
    }
    const tokens = tokensIn(props)
    return tokens !== undefined && isUsable(tokens) ? tokens : undefined
  })
  return outcome ?? 'unavailable'
}

type Check = () => ReturnType<Account['check']>

async function renewAsLeaseholder(
  login: RedirectLogin,
  grant: HeldGrant,
  props: GrantProps | undefined,
  check: Check,
  env: unknown,
): Promise<RenewalOutcome> {
  try {
    const tokens = tokensIn(props)
    if (props === undefined || tokens === undefined) return 'none'
    if (isUsable(tokens)) return tokens
    if (login.refresh === undefined || tokens.refreshToken === undefined) return 'ended'
    const renewed = await login.refresh(props, env)
    if (renewed === undefined) return tokens
    await store(grant, props, renewed, check)
    return tokensIn(renewed) ?? 'none'
  } catch (error) {
    if (!(error instanceof LoginError) || error.reason === 'unavailable') throw error
    await grant.account.revoke(grant.id)
    return 'ended-now'
  }
}

/** Stores what the renewal has changed, in the props as they are now. */
async function store(
  { account, id, key }: HeldGrant,
  before: GrantProps,
  renewed: GrantProps,
  check: Check,
): Promise<void> {
  const changed = Object.entries(renewed).filter(([name, value]) => before[name] !== value)
  for (let attempt = 1; attempt <= MAX_STORES; attempt++) {
    const { active, props, propsVersion } = await check()
    // The answer of a version without leases has no version of the props.
    const from = propsVersion === undefined ? undefined : { propsVersion }
    if (!active) return
    const present = splitProps(props)
    const merged = { ...present.props, ...Object.fromEntries(changed) }
    const stored = joinProps({ ...present, props: merged })
    if (stored && (await account.setProps(id, key, stored, from))) return
  }
  throw new Error('Renewed upstream tokens could not be stored')
}
