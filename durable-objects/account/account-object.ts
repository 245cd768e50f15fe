/** The Durable Object of one person: grants, codes, refresh tokens and consents; or of a share of guesses, or of clients' documents. */
import { DurableObject } from 'cloudflare:workers'
import type { AccountLimits, CodeRedemption } from '../../src/ports/accounts.ts'
import type { AccountRpc, ApprovedGrant, DocumentText, RefreshText } from './account-rpc.ts'
import { AccountStorage } from './account-storage.ts'
import { Consents } from './consents.ts'
import { Documents } from './documents.ts'
import { checkGrant, listGrants, revokeGrant, setProps } from './grants.ts'
import { Guesses } from './guesses.ts'
import { approve, redeemCode } from './redeeming.ts'
import { inspectRefresh, peekRefresh, refresh } from './refreshing.ts'

/**
 * One class in three roles, told apart by what is asked of them.
 *
 * Under a hash of its subject it is an account: a row per grant with the hashes of its secrets and
 * its encrypted props, a row per remembered consent. `throttle-<shard>` counts guesses, and `documents-<shard>`
 * keeps what clients publish.
 *
 * Whatever must happen once is decided and written without an await in between, on the grant as it is
 * at that moment; all hashing comes before. One alarm drops what is over, and the tables with the
 * last row. Limits come with each call, because an alarm wakes the object without them, so rows
 * hold times. Trade-off: every token that is issued and every check of one asks this one object; in
 * return there is one order of everything that happens to a person's grants.
 */
export class McpAccount extends DurableObject implements AccountRpc {
  readonly #storage: AccountStorage
  readonly #consents: Consents
  readonly #guesses: Guesses
  readonly #documents: Documents

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.#storage = new AccountStorage(ctx)
    this.#consents = new Consents(this.#storage)
    this.#guesses = new Guesses(this.#storage)
    this.#documents = new Documents(this.#storage)
  }

  async approve(grant: ApprovedGrant, limits: AccountLimits) {
    return approve(this.#storage, grant, limits)
  }

  async redeemCode(input: CodeRedemption, attempt: string, limits: AccountLimits) {
    return redeemCode(this.#storage, input, attempt, limits)
  }

  async refresh(input: RefreshText, limits: AccountLimits) {
    return refresh(this.#storage, input, limits)
  }

  async peekRefresh(input: RefreshText, limits: AccountLimits) {
    return peekRefresh(this.#storage, input, limits)
  }

  async inspectRefresh(grantId: string, refreshSecret: string, limits: AccountLimits) {
    return inspectRefresh(this.#storage, grantId, refreshSecret, limits)
  }

  async setProps(grantId: string, grantKey: string, props: string) {
    return setProps(this.#storage, grantId, grantKey, props)
  }

  async check(grantId: string, grantKey: string | undefined) {
    return checkGrant(this.#storage, grantId, grantKey)
  }

  async revoke(grantId: string) {
    return revokeGrant(this.#storage, grantId)
  }

  async grants() {
    return listGrants(this.#storage)
  }

  async remembers(
    clientId: string,
    redirectUri: string,
    resource: string,
    scopes: readonly string[],
  ) {
    return this.#consents.includes(clientId, redirectUri, resource, scopes)
  }

  async forgetConsents(clientId: string) {
    this.#consents.forget(clientId)
  }

  async document(url: string) {
    return this.#documents.get(url)
  }

  async putDocument(url: string, document: DocumentText) {
    this.#documents.put(url, document)
  }

  async deleteDocument(url: string) {
    this.#documents.delete(url)
  }

  async guess(key: string, right: boolean, limits: AccountLimits) {
    return this.#guesses.guess(key, right, limits)
  }

  override async alarm(): Promise<void> {
    await this.#storage.purge()
  }
}
