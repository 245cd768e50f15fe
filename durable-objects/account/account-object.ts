/** The object of one account: implements the account port over its storage. */
import { randomToken } from '../../src/platform/random-token.ts'
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { Account, ListWanted } from '../../src/ports/accounts.ts'
import type { NewGrant, PropsRenewal } from '../../src/ports/grant.ts'
import type { CodeRedemption, RefreshRequest } from '../../src/ports/grant-tokens.ts'
import type { NewPersonalToken } from '../../src/ports/personal-token.ts'
import type { RenewalLease } from '../../src/ports/renewal-lease.ts'
import type { Revocations } from '../../src/ports/revocations.ts'
import { ObjectPart } from '../object-part.ts'
import { ExpiringStorage } from './account-storage.ts'
import { approveGrant } from './approve-grant.ts'
import { hasConsent } from './consents.ts'
import { endAll, endIssuedBefore } from './end-access.ts'
import { checkGrant, listGrants, renewProps, revokeGrant, setProps } from './grants.ts'
import { createPersonalToken, listPersonalTokens } from './personal-tokens.ts'
import { redeemCode } from './redeem-code.ts'
import { inspectRefresh, peekRefresh, refreshGrant } from './refresh-grant.ts'
import { RenewalLeases } from './renewal-leases.ts'
import { createStatements, MIGRATIONS } from './schema.ts'

/**
 * Longer than an isolate keeps a definition, so that none of those from before the change is used again
 * when the version of the subject's definitions has expired.
 */
const DEFINITION_VERSION_TTL_MS = 30 * 24 * 60 * 60_000

/** The port as it crosses from the Worker to the object: props are JSON text. */
type AccountPort = Account<string>

/**
 * One account.
 *
 * Layout: one row per grant and personal access token, with digests of its secrets and its encrypted
 * props; one row per remembered consent and ended sign-in, and one for the version of the subject's definitions.
 * Lifetime: one alarm deletes expired rows, and the tables with the last row. Every decision that must happen once is made
 * and written without an await in between, on the grant as it is at that moment; hashing and encryption come before.
 * Trade-off: issuing and checking tokens of one subject go through one object, which gives all
 * operations on its grants one order.
 */
export class AccountObject extends ObjectPart implements AccountPort {
  readonly #storage = new ExpiringStorage(this.ctx, MIGRATIONS, createStatements)
  readonly #leases = new RenewalLeases()
  readonly #limits: AccountLimits

  constructor(ctx: DurableObjectState, env: Cloudflare.Env, limits: AccountLimits) {
    super(ctx, env)
    this.#limits = limits
  }

  async approve(grant: NewGrant<string>) {
    return approveGrant(this.#storage, grant, this.#limits)
  }

  async redeemCode(input: CodeRedemption) {
    return redeemCode(this.#storage, input, this.#limits)
  }

  async refresh(input: RefreshRequest<string>) {
    return refreshGrant(this.#storage, input, this.#limits)
  }

  async peekRefresh(input: RefreshRequest<string>) {
    // Before the props are read: after that, another request may have replaced them.
    const leased = this.#leases.take(input.grantId, input.renewal)
    const state = await peekRefresh(this.#storage, input, this.#limits)
    return state && (leased === undefined ? state : { ...state, leased })
  }

  async inspectRefresh(grantId: string, refreshSecret: string) {
    return inspectRefresh(this.#storage, grantId, refreshSecret, this.#limits)
  }

  async setProps(
    grantId: string,
    grantKey: string,
    props: string,
    from?: { readonly propsVersion: string; readonly renewal?: RenewalLease },
  ) {
    const stored = await setProps(this.#storage, grantId, grantKey, props, from?.propsVersion)
    if (stored) this.#leases.take(grantId, from?.renewal)
    return stored
  }

  async renewProps(renewals: readonly PropsRenewal<string>[]) {
    for (const { grantId, props } of renewals) await renewProps(this.#storage, grantId, props)
  }

  async check(grantId: string, grantKey: string | undefined, renewal?: RenewalLease) {
    const leased = this.#leases.take(grantId, renewal)
    const { propsVersion, ...status } = await checkGrant(this.#storage, grantId, grantKey)
    return leased === undefined ? status : { ...status, propsVersion, leased }
  }

  async changeDefinitionVersion() {
    // Without storage there are no grants, so no isolate has a definition for one. The version is random: an
    // account that is emptied and filled again never has an earlier one.
    this.#storage.writeIfExists((statements) =>
      statements.putDefinitionVersion(randomToken(), Date.now() + DEFINITION_VERSION_TTL_MS),
    )
  }

  async revoke(grantId: string) {
    return revokeGrant(this.#storage, grantId)
  }

  async listGrants(wanted?: ListWanted) {
    const tokens = wanted?.personalTokens ? listPersonalTokens(this.#storage) : []
    return [...listGrants(this.#storage, wanted?.pending), ...tokens]
  }

  async createPersonalToken(token: NewPersonalToken<string>) {
    return createPersonalToken(this.#storage, token, this.#limits)
  }

  async hasConsent(
    clientId: string,
    redirectUri: string,
    resource: string,
    scopes: readonly string[],
  ) {
    return hasConsent(this.#storage, clientId, redirectUri, resource, scopes)
  }

  async deleteConsents(clientId: string) {
    this.#storage.writeIfExists((statements) => statements.deleteConsents(clientId))
  }

  async endSignIn(signInId: string, expiresAt: number) {
    this.#storage.write((statements) => statements.insertEndedSignIn(signInId, expiresAt))
  }

  async hasSignInEnded(signInId: string, expiresAt = Number.POSITIVE_INFINITY) {
    const { existing } = this.#storage
    if (existing === undefined) return false
    return existing.hasSignInEnded(signInId) || expiresAt <= existing.signInsEndedUntil()
  }

  async endIssuedBefore(revocations: Revocations) {
    return endIssuedBefore(this.#storage, revocations, this.#limits)
  }

  async endAll(signInsUntil: number, erase: boolean) {
    return endAll(this.#storage, signInsUntil, erase)
  }

  async alarm(): Promise<void> {
    await this.#storage.purge()
  }
}
