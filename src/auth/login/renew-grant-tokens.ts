/**
 * Renews the upstream token of a grant. A provider may accept its refresh token once, so one request of the
 * deployment at a time renews the token of a grant; the others wait.
 */
import { delay } from '../../platform/deadline.ts'
import { randomToken } from '../../platform/random-token.ts'
import type { Account } from '../../ports/accounts.ts'
import type { GrantProps } from '../../protocol/auth-info.ts'
import { joinProps, splitProps } from '../server/stored-props.ts'
import {
  type HeldGrant,
  LoginError,
  type RedirectLogin,
  type RenewalOutcome,
  type RenewGrantTokens,
} from './login.ts'
import { isUsable, tokensIn } from './upstream-tokens.ts'

/** Longer than one request has the lease. */
const MAX_CHECKS = 64
const CHECK_INTERVAL_MS = 250

/** How often renewed tokens are merged into props that another request replaces at the same time. */
const MAX_STORES = 3

export const renewGrantTokens: RenewGrantTokens = (login, grant, env) =>
  new Renewal(login, grant).run(env)

/** The renewal of the token of one grant. */
class Renewal {
  readonly #login: RedirectLogin
  readonly #account: Account
  readonly #grantId: string
  readonly #key: string
  readonly #lease = { id: randomToken() }

  constructor(login: RedirectLogin, { account, id, key }: HeldGrant) {
    this.#login = login
    this.#account = account
    this.#grantId = id
    this.#key = key
  }

  async run(env: unknown): Promise<RenewalOutcome> {
    for (let check = 1; check <= MAX_CHECKS; check++) {
      const { active, props, leased } = await this.#check()
      if (!active) return 'ended'
      // A version without leases does not answer.
      if (leased !== false) return this.#asLeaseholder(splitProps(props).props, env)
      const tokens = tokensIn(props)
      if (tokens !== undefined && isUsable(tokens)) return tokens
      await delay(CHECK_INTERVAL_MS)
    }
    return 'unavailable'
  }

  async #asLeaseholder(props: GrantProps | undefined, env: unknown): Promise<RenewalOutcome> {
    try {
      const tokens = tokensIn(props)
      if (props === undefined || tokens === undefined) return 'none'
      if (isUsable(tokens)) return tokens
      if (this.#login.refresh === undefined || tokens.refreshToken === undefined) return 'ended'
      const renewed = await this.#login.refresh(props, env)
      if (renewed === undefined) return tokens
      await this.#store(props, renewed)
      return tokensIn(renewed) ?? 'none'
    } catch (error) {
      if (!(error instanceof LoginError)) throw error
      await this.#account.revoke(this.#grantId)
      return 'ended-now'
    } finally {
      const ends = { ...this.#lease, ends: true }
      // A lease that cannot be given back ends by itself.
      await this.#account.check(this.#grantId, undefined, ends).catch(() => undefined)
    }
  }

  /** Stores what the renewal has changed, in the props as they are now. */
  async #store(before: GrantProps, renewed: GrantProps): Promise<void> {
    const changed = Object.entries(renewed).filter(([name, value]) => before[name] !== value)
    for (let attempt = 1; attempt <= MAX_STORES; attempt++) {
      const { active, props, propsVersion } = await this.#check()
      // The answer of a version without leases has no version of the props.
      const from = propsVersion === undefined ? undefined : { propsVersion }
      if (!active) return
      const present = splitProps(props)
      const merged = { ...present.props, ...Object.fromEntries(changed) }
      const stored = joinProps({ ...present, props: merged })
      if (stored && (await this.#account.setProps(this.#grantId, this.#key, stored, from))) return
    }
    throw new Error('Renewed upstream tokens could not be stored')
  }

  #check() {
    return this.#account.check(this.#grantId, this.#key, this.#lease)
  }
}
