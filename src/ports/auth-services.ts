/** The services that only the authorization server uses. Each is undefined when its binding is missing. */
import type { Accounts } from './accounts.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface AuthServices {
  readonly accounts: Accounts | undefined
  /** Accounts of their own for the subjects of a realm, such as an origin. */
  readonly accountsIn: (realm: string) => Accounts | undefined
  readonly signingKeys: SigningKeys | undefined
}
