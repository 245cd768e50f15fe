/** `embedded()`: the authorization server together with the objects that store its accounts and keys. */

import { createAccountClass } from '../durable-objects/account/account-object.ts'
import { type AccountNamespace, digestOfText } from '../durable-objects/account/accounts.ts'
import { createAuthServices } from '../durable-objects/auth-services.ts'
import { accountLimits, createEmbeddedGate } from './auth/embedded.ts'
import type { EmbeddedOptions } from './auth/embedded-options.ts'
import { describedScopes } from './auth/resource/scopes.ts'
import { resolveAuthLimits } from './auth/server/auth-limits.ts'
import type { AuthConfig } from './feature/auth-config.ts'
import { keyring } from './features/keyring/keyring.ts'
import { rateLimits } from './features/rate-limits/rate-limits.ts'
import { HEALTH_NAME } from './ports/health.ts'
import { isJsonObject } from './protocol/json.ts'
import { listedOrigins } from './security/configured-origins.ts'

/** The value of {@link embedded}. */
export interface EmbeddedAuth extends AuthConfig<'McpAccount' | 'McpKeyring'> {
  readonly type: 'embedded'
}

/**
 * Runs an authorization server beside the endpoint and accepts its access tokens. Needs the bindings
 * `MCP_KEYRING` and `MCP_ACCOUNT`.
 *
 * @throws {TypeError} from `createEdgeway`, when an option is invalid, and at once when a limit is. A
 *   missing binding is reported to telemetry with the first request, which receives a 503.
 */
export function embedded(options: EmbeddedOptions): EmbeddedAuth {
  if (!isJsonObject(options)) throw new TypeError('embedded() needs { scopes }')
  return {
    objects: { McpAccount: createAccountClass(accountLimits(options.limits)) },
    health: {
      part: 'account',
      call: ({ MCP_ACCOUNT }) => {
        const accounts = MCP_ACCOUNT as AccountNamespace | undefined
        return accounts && callAccount(accounts)
      },
    },
    type: 'embedded',
    needs: [keyring(), rateLimits()],
    origins: listedOrigins(options),
    scopeNames: Object.keys(options.scopes ?? {}),
    scopes: describedScopes(options.scopes),
    grantsAllScopes: options.scopesOf === undefined,
    lifetimes: resolveAuthLimits(options.limits),
    createGate: createEmbeddedGate(options, createAuthServices()),
  }
}

const callAccount = async (accounts: AccountNamespace) =>
  accounts.getByName(`${await digestOfText(HEALTH_NAME)}-`).hasSignInEnded(HEALTH_NAME)
