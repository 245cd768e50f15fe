/** The accounts port in the Worker: calls the account objects by RPC. */
import type { Account, Accounts } from '../../src/ports/accounts.ts'
import type { IssuedGrant, Refused } from '../../src/ports/grant-tokens.ts'
import { NO_REVOCATIONS, type Revocations } from '../../src/ports/revocations.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { AccountRpc } from './account-object.ts'
import { createDocumentStore } from './document-store.ts'
import { readGrantKey } from './grant-key.ts'
import { isRefused } from './grant-refusals.ts'
import { accountName, digestOfText, isAccountName, throttleName } from './object-names.ts'
import { parseProps, stringifyProps } from './props-json.ts'
import { createRevocationStep } from './revocation-step.ts'

export type AccountNamespace = ObjectNamespace<AccountRpc>

/**
 * @param realm has accounts of its own. Default: the accounts of no realm
 * @param revocations which each account applies before it answers. Default: nothing was revoked
 */
export function createAccounts(
  namespace: AccountNamespace,
  realm?: string,
  revocations: () => Promise<Revocations> = async () => NO_REVOCATIONS,
): Accounts {
  const nameOf = (subject: string) => accountName(subject, realm)
  const applyTo = createRevocationStep(namespace, revocations)
  return {
    nameOf,
    of: (subject) => accountOf(namespace, () => nameOf(subject), nameOf, applyTo),
    byName(name) {
      if (!isAccountName(name)) throw new TypeError('Not the name of an account')
      return accountOf(namespace, async () => name, nameOf, applyTo)
    },
    throttle: {
      // Only the digest of a key is stored, because keys may contain network addresses.
      async guess(key, correct, counts = [], pending) {
        const digest = await digestOfText(key)
        const wider = await Promise.all(
          counts.map(async ({ key, capacity }) => ({ key: await digestOfText(key), capacity })),
        )
        const name = throttleName(wider.at(-1)?.key ?? digest)
        return callObject(async () =>
          namespace.getByName(name).guess(digest, correct, wider, pending),
        )
      },
    },
    documents: createDocumentStore(namespace),
  }
}

function accountOf(
  namespace: AccountNamespace,
  nameOf: () => Promise<string>,
  nameOfSubject: Accounts['nameOf'],
  applyRevocations: (name: string) => Promise<void>,
): Account {
  let known: string | undefined
  const call = async <T>(run: (account: AccountRpc) => Promise<T>): Promise<T> => {
    known ??= await nameOf()
    const name = known
    await applyRevocations(name)
    return callObject(async () => run(namespace.getByName(name)))
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
      const texts = renewals.map(({ grantId, props }) => ({
        grantId,
        props: stringifyProps(props),
      }))
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
