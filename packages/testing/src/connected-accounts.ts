/** Accounts that are connected without a browser: they take the place of those that objects store. */
import { createFeature } from '../../../src/feature/create-feature.ts'
import type { FeatureOption } from '../../../src/feature/feature.ts'
import { chooseAccount } from '../../../src/features/connections/choose-account.ts'
import {
  CONNECTIONS,
  type PersonConnections,
  type Use,
  type Used,
} from '../../../src/features/connections/store.ts'

export interface TestAccount {
  /** What the person or the service calls it. */
  readonly label: string
  /** That of the service. Default: the label. */
  readonly id?: string
  /** The access token or the key. Default: `test-token`. */
  readonly token?: string
  /** The scopes that were granted. Default: all. */
  readonly scopes?: readonly string[]
  /** Whether the person prefers it among several. Default: false. */
  readonly isDefault?: boolean
}

/** By the name of the connection: one account, or several. None for a person who has connected none. */
export type TestConnections = Readonly<Record<string, TestAccount | readonly TestAccount[]>>

/** What `ctx.connect` and lists of tools use. The rest is for pages, which a test without a browser does not open. */
type PersonOfHandlers = Pick<PersonConnections, 'use' | 'labels' | 'ask' | 'visit'>

/** Its service replaces that of `connections()`: the value that is passed last wins. */
export function connectedAccounts(named: TestConnections): FeatureOption {
  const person: PersonOfHandlers = {
    use: async (use) => choose(accountsOf(named, use), use),
    labels: async () =>
      Object.fromEntries(
        Object.keys(named).map((connection) => [
          connection,
          accountsOf(named, { connection, scopes: [] }).map(({ label }) => label),
        ]),
      ),
    ask: async () => 'page',
    // The page that a tool asks to open does not exist: an ask that is accepted has connected no account.
    visit: async () => undefined,
  }
  return createFeature('connected-accounts', () => ({
    keyedServices: [CONNECTIONS.with(() => ({ of: () => person as PersonConnections }))],
  }))
}

const accountsOf = (
  named: TestConnections,
  { connection, scopes }: Pick<Use, 'connection' | 'scopes'>,
) =>
  [named[connection] ?? []]
    .flat()
    .filter(({ scopes: granted = scopes }) => scopes.every((scope) => granted.includes(scope)))

function choose(accounts: readonly TestAccount[], use: Use): Used {
  const chosen = chooseAccount(accounts, nameOf, use)
  return chosen.kind === 'account' ? tokenOf(chosen.account) : chosen
}

const nameOf = ({ label, id = label, isDefault }: TestAccount) => ({ id, label, isDefault })

const tokenOf = ({ label, id = label, token = 'test-token' }: TestAccount): Used => ({
  kind: 'token',
  account: { id, label },
  accessToken: token,
  expiresAt: undefined,
})
