/** The services of the authorization server: accounts and signing keys, over their objects. */
import { perEnvironment } from '../src/platform/per-object.ts'
import type { AuthServices } from '../src/ports/auth-services.ts'
import type { AppObjects } from '../src/ports/objects.ts'
import type { AccountObject } from './account/account-object.ts'
import { createAccounts } from './account/accounts.ts'
import type { DocumentsObject } from './account/documents-object.ts'
import type { ThrottleObject } from './account/throttle-object.ts'
import type { KeyringObject } from './keyring/keyring-object.ts'
import { createSigningKeys } from './keyring/signing-keys.ts'

/** Returns the services of an environment, created once, because they cache keys. */
export function createAuthServices(
  objectsIn: (env: unknown) => AppObjects,
): (env: unknown) => AuthServices {
  return perEnvironment((env) => {
    const objects = objectsIn(env)
    const keyring = objects.of<KeyringObject>('keyring')
    const accounts = objects.of<AccountObject>('account')
    const throttles = objects.of<ThrottleObject>('throttle')
    const documents = objects.of<DocumentsObject>('documents')
    const signingKeys = keyring && createSigningKeys(keyring)
    const revocations = signingKeys && (() => signingKeys.revocations())
    const accountsIn = (realm: string | undefined) =>
      accounts && throttles && documents
        ? createAccounts({ accounts, throttles, documents }, realm, revocations)
        : undefined
    return { signingKeys, accounts: accountsIn(undefined), accountsIn }
  })
}
