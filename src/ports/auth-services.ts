/** The services that only the authorization server uses. Each is undefined when its binding is missing. */
import type { Accounts } from './accounts.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface AuthServices {
  readonly accounts: Accounts | undefined
  readonly signingKeys: SigningKeys | undefined
}
