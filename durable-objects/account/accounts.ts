/** The accounts port over the namespace of their objects. */
import type {
  Account,
  AccountLimits,
  Accounts,
  IssuedGrant,
  Refused,
} from '../../src/ports/accounts.ts'
import { callObject } from '../object-call.ts'
import type { AccountRpc, IssuedGrantText } from './account-rpc.ts'
import { digestOfText } from './digest.ts'
import { createDocumentStore } from './document-store.ts'
import { resolveAccountLimits } from './limits.ts'
import { parseProps, writeProps } from './props-text.ts'
import { isRefused } from './refused.ts'
import { createThrottle } from './throttle.ts'

/** As much of a `DurableObjectNamespace<McpAccount>` as accounts need. */
export interface AccountNamespace {
  getByName(name: string): AccountRpc
}

/** SHA-256 in base64url. Nothing else that this namespace holds is called like it. */
const NAME = /^[A-Za-z0-9_-]{43}$/

/** @throws {TypeError} for a limit that does not do */
export function createAccounts(
  namespace: AccountNamespace,
  overrides: Partial<AccountLimits> = {},
): Accounts {
  const limits = resolveAccountLimits(overrides)
  return {
    nameOf: digestOfText,
    of: (subject) => accountOf(namespace, () => digestOfText(subject), limits),
    byName(name) {
      if (!NAME.test(name)) throw new TypeError('No account has such a name')
      return accountOf(namespace, async () => name, limits)
    },
    throttle: createThrottle(namespace, limits),
    documents: createDocumentStore(namespace),
  }
}

/** A stub belongs to the request that made it, so there is a new one each time. */
function accountOf(
  namespace: AccountNamespace,
  nameOf: () => Promise<string>,
  limits: AccountLimits,
): Account {
  let known: string | undefined
  const call = async <T>(run: (account: AccountRpc) => Promise<T>): Promise<T> => {
    known ??= await nameOf()
    const name = known
    return callObject(async () => run(namespace.getByName(name)))
  }
  return {
    async approve(grant) {
      // Its tokens would name one subject, and be looked up under another.
      if ((await digestOfText(grant.subject)) !== (await nameOf())) {
        throw new TypeError('A grant belongs into the account of its subject')
      }
      const approved = { ...grant, props: writeProps(grant.props) }
      return call((account) => account.approve(approved, limits))
    },
    async redeemCode(input) {
      // The same for a second try, which would otherwise be a replay of the first.
      const attempt = crypto.randomUUID()
      return withProps(await call((account) => account.redeemCode(input, attempt, limits)))
    },
    async refresh(input) {
      const asked = { ...input, newProps: writeProps(input.newProps) }
      return withProps(await call((account) => account.refresh(asked, limits)))
    },
    async peekRefresh(input) {
      const asked = { ...input, newProps: undefined }
      const state = await call((account) => account.peekRefresh(asked, limits))
      return state && { ...state, props: parseProps(state.props) }
    },
    async setProps(grantId, grantKey, props) {
      const text = writeProps(props)
      return call((account) => account.setProps(grantId, grantKey, text))
    },
    async check(grantId, grantKey) {
      const { active, props } = await call((account) => account.check(grantId, grantKey))
      return props === undefined ? { active } : { active, props: parseProps(props) }
    },
    revoke: (grantId) => call((account) => account.revoke(grantId)),
    inspectRefresh: (grantId, refreshSecret) =>
      call((account) => account.inspectRefresh(grantId, refreshSecret, limits)),
    grants: () => call((account) => account.grants()),
    remembers: (...asked) => call((account) => account.remembers(...asked)),
    forgetConsents: (clientId) => call((account) => account.forgetConsents(clientId)),
  }
}

function withProps(answer: IssuedGrantText | Refused): IssuedGrant | Refused {
  return isRefused(answer) ? answer : { ...answer, props: parseProps(answer.props) }
}
