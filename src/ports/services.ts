/** What the bindings of a Worker offer; each is made on first use, and undefined where its binding is missing. */
import type { Accounts } from './accounts.ts'
import type { ChangeBus } from './change-bus.ts'
import type { Sealer } from './sealer.ts'
import type { Sessions } from './sessions.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface Services {
  readonly sealer: () => Sealer | undefined
  readonly changes: () => ChangeBus | undefined
  readonly sessions: () => Sessions | undefined
  readonly signingKeys: () => SigningKeys | undefined
  readonly accounts: () => Accounts | undefined
}
