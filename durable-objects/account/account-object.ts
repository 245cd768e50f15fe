/** The account Durable Object: implements the account, throttle and document ports over its storage. */
import { DurableObject } from '#runtime'
import { type LimitRanges, resolveLimits } from '../../src/auth/server/auth-limits.ts'
import type { ObjectClass } from '../../src/feature/object-class.ts'
import { randomToken } from '../../src/platform/random-token.ts'
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { Account, ListWanted } from '../../src/ports/accounts.ts'
import type { DocumentStore, StoredDocument } from '../../src/ports/documents.ts'
import type { NewGrant, PropsRenewal } from '../../src/ports/grant.ts'
import type { CodeRedemption, RefreshRequest } from '../../src/ports/grant-tokens.ts'
import type { NewPersonalToken } from '../../src/ports/personal-token.ts'
import type { RenewalLease } from '../../src/ports/renewal-lease.ts'
import type { Revocations } from '../../src/ports/revocations.ts'
import type { PendingGuess, Throttle, WiderCount } from '../../src/ports/throttle.ts'
import { MAX_SEAL_LIFE_MS, MAX_SIGNED_LIFE_MS } from '../keyring/rotation.ts'
import { AccountStorage } from './account-storage.ts'
import { approveGrant } from './approve-grant.ts'
import { hasConsent } from './consents.ts'
import { endAll, endIssuedBefore } from './end-access.ts'
import { checkGrant, listGrants, renewProps, revokeGrant, setProps } from './grants.ts'
import { GuessCounters } from './guess-counters.ts'
import { createPersonalToken, listPersonalTokens } from './personal-tokens.ts'
import { redeemCode } from './redeem-code.ts'
import { inspectRefresh, peekRefresh, refreshGrant } from './refresh-grant.ts'

/**
 * Longer than an isolate keeps a definition, so that none of those from before the change is used again
 * when the version of the subject's definitions has expired.
 */
const DEFINITION_VERSION_TTL_MS = 30 * 24 * 60 * 60_000

/** The ports as they cross from the Worker to the object: props and documents are JSON text. */
export type AccountRpc = Account<string> & Throttle & DocumentStore<string>

export type AccountObjectClass = ObjectClass<AccountRpc>

/**
 * Creates the class of the account objects. An instance has one of three roles, by its name
 * (`accounts.ts`): the account of one subject, a shard of the throttle, or a shard of the client
 * documents.
 *
 * Layout: one row per grant and personal access token, with digests of its secrets and its encrypted
 * props; one row per remembered consent, ended sign-in, throttle key and document, and one for the
 * version of the subject's definitions. Lifetime: one alarm deletes expired rows, and the tables with
 * the last row. Every decision that must happen once is made and written without an
 * await in between, on the grant as it is at that moment; hashing and encryption come before.
 * Trade-off: issuing and checking tokens of one subject go through one object, which gives all
 * operations on its grants one order.
 *
 * @throws {TypeError} for an invalid limit
 */
export function createAccountClass(overrides: Partial<AccountLimits> = {}): AccountObjectClass {
  const limits = resolveLimits(RANGES, overrides)
  return class McpAccount extends DurableObject implements AccountRpc {
    readonly #storage: AccountStorage
    readonly #guesses: GuessCounters
    readonly #leases = new RenewalLeases()

    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env)
      this.#storage = new AccountStorage(ctx)
      this.#guesses = new GuessCounters(this.#storage, limits)
    }

    async approve(grant: NewGrant<string>) {
      return approveGrant(this.#storage, grant, limits)
    }

    async redeemCode(input: CodeRedemption) {
      return redeemCode(this.#storage, input, limits)
    }

    async refresh(input: RefreshRequest<string>) {
      return refreshGrant(this.#storage, input, limits)
    }

    async peekRefresh(input: RefreshRequest<string>) {
      // Before the props are read: after that, another request may have replaced them.
      const leased = this.#leases.take(input.grantId, input.renewal)
      const state = await peekRefresh(this.#storage, input, limits)
      return state && (leased === undefined ? state : { ...state, leased })
    }

    async inspectRefresh(grantId: string, refreshSecret: string) {
      return inspectRefresh(this.#storage, grantId, refreshSecret, limits)
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
      return createPersonalToken(this.#storage, token, limits)
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
      return endIssuedBefore(this.#storage, revocations, limits)
    }

    async endAll(signInsUntil: number, erase: boolean) {
      return endAll(this.#storage, signInsUntil, erase)
    }

    async guess(
      key: string,
      correct: boolean,
      wider: readonly WiderCount[] = [],
      pending?: PendingGuess,
    ) {
      return this.#guesses.guess([{ key, capacity: 1 }, ...wider], correct, pending)
    }

    async get(url: string) {
      return readDocument(this.#storage, url)
    }

    async put(url: string, document: StoredDocument<string>) {
      storeDocument(this.#storage, url, document)
    }

    async delete(url: string) {
      this.#storage.writeIfExists((statements) => statements.deleteDocument(url))
    }

    override async alarm(): Promise<void> {
      await this.#storage.purge()
    }
  }
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ANY = Number.MAX_SAFE_INTEGER

/** Tokens are signed or sealed and cannot outlive the keys of the keyring. */
const RANGES: LimitRanges<AccountLimits> = {
  codeTtlMs: [MINUTE_MS, ANY],
  accessTtlMs: [DAY_MS, MAX_SIGNED_LIFE_MS],
  refreshGraceMs: [30_000, ANY],
  refreshIdleMs: [60 * DAY_MS, MAX_SEAL_LIFE_MS],
  grantLifetimeMs: [365 * DAY_MS, ANY],
  consentTtlMs: [365 * DAY_MS, ANY],
  grantsPerAccount: [200, ANY],
  personalTokensPerAccount: [30, ANY],
  throttleFailures: [10, ANY],
  throttleWindowMs: [15 * MINUTE_MS, ANY],
  throttleFirstWaitMs: [15_000, ANY],
  throttleLongestWaitMs: [15 * MINUTE_MS, ANY],
}

/** Per object. Any caller can name a URL, so the number is bounded; the oldest are deleted first. */
const MAX_DOCUMENTS = 500

/** In UTF-16 code units. Longer documents are not stored. */
const MAX_DOCUMENT_LENGTH = 64 * 1024

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000

/** Client metadata documents and key sets by URL are stored for a week, so that a client whose host is down can be served. */
function readDocument(
  { existing }: AccountStorage,
  url: string,
): StoredDocument<string> | undefined {
  const row = existing?.document(url)
  if (row === undefined || Date.now() >= row.due_at) return undefined
  const { value, fetched_at: fetchedAt, fresh_until: freshUntil } = row
  return { value, fetchedAt, freshUntil }
}

function storeDocument(
  storage: AccountStorage,
  url: string,
  { value, fetchedAt, freshUntil: fresh_until }: StoredDocument<string>,
): void {
  if (value.length > MAX_DOCUMENT_LENGTH) return
  const due_at = fetchedAt + RETENTION_MS
  storage.write((statements) => {
    statements.putDocument({ url, value, fetched_at: fetchedAt, fresh_until, due_at })
    statements.trimDocuments(MAX_DOCUMENTS)
  })
}

/** Longer than a request to a provider may take. A lease whose request was terminated ends by itself. */
const LEASE_MS = 15_000

/**
 * Leases for the renewal of upstream tokens: one request at a time asks the provider for a grant.
 *
 * In memory: a lease is shorter than an object stays in memory without requests. When the object is reset
 * during a renewal, two requests may ask the provider, which then refuses one of them.
 */
export class RenewalLeases {
  readonly #held = new Map<string, { readonly id: string; readonly until: number }>()

  /** Takes the lease of a grant, or ends it. Returns whether the request has it; undefined without a request. */
  take(grantId: string, renewal: RenewalLease | undefined): boolean | undefined {
    if (renewal === undefined) return undefined
    const held = this.#held.get(grantId)
    const now = Date.now()
    if (held !== undefined && held.id !== renewal.id && now < held.until) return false
    if (renewal.ends === true) this.#held.delete(grantId)
    else this.#held.set(grantId, { id: renewal.id, until: now + LEASE_MS })
    return true
  }
}
