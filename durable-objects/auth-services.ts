/** The services of the authorization server: accounts and signing keys, over the objects of their bindings. */
import { perEnvironment } from '../src/platform/per-object.ts'
import type { AuthServices } from '../src/ports/auth-services.ts'
import { type AccountNamespace, createAccounts } from './account/accounts.ts'
import type { McpKeyring } from './keyring/keyring-object.ts'
import { createSigningKeys } from './keyring/signing-keys.ts'
import type { ObjectNamespace } from './object-call.ts'

interface AuthBindings {
  readonly MCP_KEYRING?: ObjectNamespace<Pick<McpKeyring, 'signingKeys'>>
  readonly MCP_ACCOUNT?: AccountNamespace
}

/** Returns the services of an environment, created once, because they cache keys. */
export function createAuthServices(): (env: unknown) => AuthServices {
  return perEnvironment((env) => {
    const { MCP_KEYRING: keyring, MCP_ACCOUNT: account }: AuthBindings = env
    const signingKeys = keyring && createSigningKeys(keyring)
    const revocations = signingKeys && (() => signingKeys.revocations())
    return {
      signingKeys,
      accounts: account && createAccounts(account, undefined, revocations),
      accountsIn: (realm) => account && createAccounts(account, realm, revocations),
    }
  })
}
