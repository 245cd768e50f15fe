/**
 * Finds the upstream token of a caller, and renews it when it ends. A provider may accept its refresh token
 * once, so one request of the deployment at a time renews the token of a grant; the others wait.
 */
import { delay } from '../../platform/deadline.ts'
import { randomToken } from '../../platform/random-token.ts'
import { SingleFlight } from '../../platform/single-flight.ts'
import type { Account, Accounts } from '../../ports/accounts.ts'
import type { CallerGrant } from '../../ports/authenticator.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type {
  FindUpstreamToken,
  UpstreamFault,
  UpstreamTokenAnswer,
} from '../../ports/upstream-tokens.ts'
import type { GrantProps } from '../../protocol/auth-info.ts'
import { type Login, LoginError, type RedirectLogin } from '../login/login.ts'
import type { UpstreamTokens } from '../login/upstream-tokens.ts'
import { joinProps, splitProps } from './stored-props.ts'

export interface UpstreamSourceOptions {
  readonly login: Login
  /** @throws {TypeError} when a binding is missing */
  readonly servicesOf: (
    env: unknown,
    issuer: string,
  ) => { readonly sealer: Sealer; readonly accounts: Accounts }
  readonly report: TelemetrySink
}

/** A token that expires sooner is renewed, so that a handler has time to use it. */
const MARGIN_MS = 60_000

/** Longer than one request has the lease. */
const MAX_CHECKS = 64
const CHECK_INTERVAL_MS = 250
/** Longer than all checks and a renewal. */
const FOLLOW_TIMEOUT_MS = 26_000

/** How often renewed tokens are merged into props that another request replaces at the same time. */
const MAX_STORES = 3

export function createUpstreamSource({
  login,
  servicesOf,
  report,
}: UpstreamSourceOptions): FindUpstreamToken {
  const running = new SingleFlight<UpstreamTokenAnswer>(FOLLOW_TIMEOUT_MS, FOLLOW_TIMEOUT_MS)
  const provider = login.kind === 'redirect' ? login.name : undefined
  const fail = (fault: UpstreamFault) => ({ ok: false, fault, provider }) as const

  return async ({ auth, grant }, env) => {
    const known = tokensIn(auth.props)
    if (known !== undefined && isUsable(known)) return { ok: true, accessToken: known.accessToken }
    if (login.kind !== 'redirect' || grant === undefined || known === undefined) return fail('none')
    try {
      const { sealer, accounts } = servicesOf(env, auth.issuer)
      return await running.run(grant.id, async () => {
        const key = await sealer.open('grant-key/1', grant.sealedKey, grant.id)
        if (key === undefined) return fail('ended')
        const account = accounts.of(auth.subject)
        const renewal = new Renewal(login, account, grant, new TextDecoder().decode(key))
        const outcome = await renewal.run(env)
        if (outcome === 'ended-now') reportEnd(report)
        if (outcome === 'ended-now' || outcome === 'ended') return fail('ended')
        return typeof outcome === 'string' ? fail(outcome) : { ok: true, ...outcome }
      })
    } catch (error) {
      report({ type: 'internal-error', error })
      return fail('unavailable')
    }
  }
}

type Outcome = UpstreamFault | 'ended-now' | { readonly accessToken: string }

/** The renewal of the token of one grant. */
class Renewal {
  readonly #login: RedirectLogin
  readonly #account: Account
  readonly #grantId: string
  readonly #key: string
  readonly #lease = { id: randomToken() }

  constructor(login: RedirectLogin, account: Account, { id }: CallerGrant, key: string) {
    this.#login = login
    this.#account = account
    this.#grantId = id
    this.#key = key
  }

  async run(env: unknown): Promise<Outcome> {
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

  async #asLeaseholder(props: GrantProps | undefined, env: unknown): Promise<Outcome> {
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

function reportEnd(report: TelemetrySink): void {
  report({
    type: 'grant-refused',
    error: 'invalid_grant',
    reason: 'upstream-sign-in-ended',
    message: 'The upstream provider ended the sign-in, so the grant was revoked',
  })
}

type KnownTokens = Pick<UpstreamTokens, 'accessToken'> & Partial<UpstreamTokens>

function tokensIn(props: GrantProps | undefined): KnownTokens | undefined {
  const { upstream } = (props ?? {}) as { readonly upstream?: Partial<UpstreamTokens> | null }
  return typeof upstream?.accessToken === 'string' ? (upstream as KnownTokens) : undefined
}

function isUsable({ expiresAt }: KnownTokens): boolean {
  return expiresAt === undefined || expiresAt > Date.now() + MARGIN_MS
}
