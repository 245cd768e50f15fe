/** The accounts port in the Worker: calls the account objects by RPC. */

import { sha256Base64Url } from '../../src/platform/digest.ts'
import { LruMap } from '../../src/platform/lru-map.ts'
import type { Account, Accounts } from '../../src/ports/accounts.ts'
import type { DocumentStore } from '../../src/ports/documents.ts'
import type { IssuedGrant, Refused } from '../../src/ports/grant-tokens.ts'
import type { CallsOf, ObjectsOfKind } from '../../src/ports/objects.ts'
import {
  NO_REVOCATIONS,
  REVOCATION_MARGIN_MS,
  type Revocations,
} from '../../src/ports/revocations.ts'
import type { GrantProps } from '../../src/protocol/auth-info.ts'
import { isJsonObject } from '../../src/protocol/json.ts'
import { shardOf } from '../keyring/shards.ts'
import { type CallByName, callerOf } from '../object-call.ts'
import type { AccountObject } from './account-object.ts'
import type { DocumentsObject } from './documents-object.ts'
import { isRefused } from './grant-expiry.ts'
import { readGrantKey } from './grant-key.ts'
import type { ThrottleObject } from './throttle-object.ts'

/** The objects of the authorization server. */
export interface AccountObjects {
  readonly accounts: ObjectsOfKind<AccountObject>
  readonly throttles: ObjectsOfKind<ThrottleObject>
  readonly documents: ObjectsOfKind<DocumentsObject>
}

type AccountCalls = CallsOf<AccountObject>

/**
 * @param realm has accounts of its own. Default: the accounts of no realm
 * @param revocations which each account applies before it answers. Default: nothing was revoked
 */
export function createAccounts(
  objects: AccountObjects,
  realm?: string,
  revocations: () => Promise<Revocations> = async () => NO_REVOCATIONS,
): Accounts {
  const call = callerOf(objects.accounts)
  const callThrottle = callerOf(objects.throttles)
  const nameOf = (subject: string) => accountName(subject, realm)
  const applyTo = createRevocationStep(call, revocations)
  return {
    nameOf,
    of: (subject) => accountOf(call, () => nameOf(subject), nameOf, applyTo),
    byName(name) {
      if (!isAccountName(name)) throw new TypeError('Not the name of an account')
      return accountOf(call, async () => name, nameOf, applyTo)
    },
    throttle: {
      // Only the digest of a key is stored, because keys may contain network addresses.
      async guess(key, correct, counts = [], pending) {
        const digest = await digestOfText(key)
        const wider = await Promise.all(
          counts.map(async ({ key, capacity }) => ({ key: await digestOfText(key), capacity })),
        )
        const shard = shardOf(wider.at(-1)?.key ?? digest)
        return callThrottle(shard, (shard) => shard.guess(digest, correct, wider, pending))
      },
    },
    documents: createDocumentStore(callerOf(objects.documents)),
  }
}

function accountOf(
  callAccount: CallByName<AccountCalls>,
  nameOf: () => Promise<string>,
  nameOfSubject: Accounts['nameOf'],
  applyRevocations: (name: string) => Promise<void>,
): Account {
  let known: string | undefined
  const call = async <T>(run: (account: AccountCalls) => Promise<T>): Promise<T> => {
    known ??= await nameOf()
    await applyRevocations(known)
    return callAccount(known, run)
  }
  return {
    async approve(grant) {
      // Tokens name the subject of the grant, and its account is found by that name.
      if ((await nameOfSubject(grant.subject)) !== (await nameOf())) {
        throw new TypeError('The grant must belong to the subject of the account')
      }
      const props = stringifyProps(grant.props)
      return call((account) => account.approve({ ...grant, props }))
    },
    async redeemCode(input) {
      // A retry after a reset of the object must not count as a replay.
      const { attempt = crypto.randomUUID() } = input
      return withProps(await call((account) => account.redeemCode({ ...input, attempt })))
    },
    async refresh(input) {
      const newProps = stringifyProps(input.newProps)
      return withProps(await call((account) => account.refresh({ ...input, newProps })))
    },
    async peekRefresh({ newProps: _, ...input }) {
      const state = await call((account) => account.peekRefresh(input))
      return state && { ...state, props: parseProps(state.props) }
    },
    async setProps(grantId, grantKey, props, from) {
      const text = stringifyProps(props)
      return call((account) => account.setProps(grantId, grantKey, text, from))
    },
    async renewProps(renewals) {
      const texts = renewals.map((one) => ({ ...one, props: stringifyProps(one.props) }))
      return call((account) => account.renewProps(texts))
    },
    async check(grantId, grantKey, renewal) {
      const { props, ...status } = await call((account) =>
        account.check(grantId, grantKey, renewal),
      )
      return props === undefined ? status : { ...status, props: parseProps(props) }
    },
    async createPersonalToken(token) {
      if (readGrantKey(token.key) === undefined) {
        throw new TypeError('Not the key of a personal access token')
      }
      const props = stringifyProps(token.props)
      return call((account) => account.createPersonalToken({ ...token, props }))
    },
    changeDefinitionVersion: () => call((account) => account.changeDefinitionVersion()),
    revoke: (grantId) => call((account) => account.revoke(grantId)),
    inspectRefresh: (...token) => call((account) => account.inspectRefresh(...token)),
    listGrants: (wanted) => call((account) => account.listGrants(wanted)),
    hasConsent: (...consent) => call((account) => account.hasConsent(...consent)),
    endSignIn: (...signIn) => call((account) => account.endSignIn(...signIn)),
    hasSignInEnded: (...signIn) => call((account) => account.hasSignInEnded(...signIn)),
    endIssuedBefore: (revocations) => call((account) => account.endIssuedBefore(revocations)),
    endAll: (signInsUntil, erase) => call((account) => account.endAll(signInsUntil, erase)),
    deleteConsents: (clientId) => call((account) => account.deleteConsents(clientId)),
  }
}

function withProps(answer: IssuedGrant<string> | Refused): IssuedGrant | Refused {
  return isRefused(answer) ? answer : { ...answer, props: parseProps(answer.props) }
}

/** Calls the shard that stores the document of a URL. */
function createDocumentStore(callShard: CallByName<CallsOf<DocumentsObject>>): DocumentStore {
  const call = async <T>(url: string, run: (shard: CallsOf<DocumentsObject>) => Promise<T>) =>
    callShard(shardOf(await digestOfText(url)), run)
  return {
    async get(url) {
      const stored = await call(url, (shard) => shard.get(url))
      return stored && { ...stored, value: JSON.parse(stored.value) as unknown }
    },
    put: (url, { value, ...times }) =>
      call(url, (shard) => shard.put(url, { ...times, value: JSON.stringify(value) })),
    delete: (url) => call(url, (shard) => shard.delete(url)),
  }
}

/** Accounts of which this isolate knows that they have applied the newest revocation. */
const MAX_ACCOUNTS = 1_000

/**
 * The first step of every call of an account: the account ends what was revoked for many at once.
 *
 * While nothing is revoked, the step calls no object. After a revocation it costs one call per account and
 * isolate; more while the time of the revocation is near, because grants may still be issued before it.
 */
function createRevocationStep(
  call: CallByName<AccountCalls>,
  revocations: () => Promise<Revocations>,
): (name: string) => Promise<void> {
  const applied = new LruMap<number>(MAX_ACCOUNTS)
  return async (name) => {
    const revoked = await revocations()
    const newest = Math.max(revoked.validFrom, ...Object.values(revoked.clients))
    if (newest === 0 || applied.get(name) === newest) return
    await call(name, (account) => account.endIssuedBefore(revoked))
    if (Date.now() > newest + REVOCATION_MARGIN_MS) applied.set(name, newest)
  }
}

/** In UTF-16 code units. Props cross to the object as JSON text. They are decrypted with every check of a token, so they are bounded. */
const MAX_PROPS_LENGTH = 64 * 1024

function stringifyProps(props: GrantProps): string
function stringifyProps(props: GrantProps | undefined): string | undefined
/**
 * @throws {TypeError} for a value that JSON cannot represent as an object
 * @throws {RangeError} for props above 65,536 UTF-16 code units of JSON
 */
function stringifyProps(props: GrantProps | undefined): string | undefined {
  if (props === undefined) return undefined
  const text = isJsonObject(props) ? JSON.stringify(props) : undefined
  if (text === undefined) throw new TypeError('Props must be a JSON object')
  if (text.length > MAX_PROPS_LENGTH) {
    throw new RangeError(`Props must have at most ${MAX_PROPS_LENGTH} characters of JSON`)
  }
  return text
}

function parseProps(text: string | undefined): GrantProps | undefined {
  return text === undefined ? undefined : JSON.parse(text)
}

/** A SHA-256 digest in base64url. */
const ACCOUNT_NAME = /^[A-Za-z0-9_-]{43}$/

/** The digest of a subject, throttle key or URL. JSON keeps lone surrogates distinct, which UTF-8 does not. */
export function digestOfText(text: string): Promise<string> {
  return sha256Base64Url(JSON.stringify(text))
}

/** The account of one subject. A list never has the JSON of a text, so realms have names of their own. */
export function accountName(subject: string, realm?: string): Promise<string> {
  return realm === undefined
    ? digestOfText(subject)
    : sha256Base64Url(JSON.stringify([realm, subject]))
}

export function isAccountName(name: string): boolean {
  return ACCOUNT_NAME.test(name)
}
