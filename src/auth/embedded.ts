/** Authorization by a server of one's own. */
import type { AccountLimits } from '../ports/accounts.ts'
import type { AuthConfig } from './auth-config.ts'
import { createAuthGate } from './auth-gate.ts'
import type { EmbeddedOptions } from './auth-settings.ts'
import { type AuthLimits, DEFAULT_AUTH_LIMITS } from './server/auth-limits.ts'

/**
 * An authorization server of one's own, next to the endpoint. Needs the bindings `MCP_KEYRING` and
 * `MCP_ACCOUNT`, and to know where it is reached.
 */
export function embedded(options: EmbeddedOptions): AuthConfig {
  return {
    accountLimits: accountLimits({ ...DEFAULT_AUTH_LIMITS, ...options.limits }),
    createGate: (place) => createAuthGate({ ...options, kind: 'embedded' }, place),
  }
}

/** The limits that the account object applies. */
function accountLimits({
  codeTtlMs,
  accessTtlMs,
  refreshIdleMs,
  grantLifetimeMs,
  refreshGraceMs,
}: AuthLimits): Partial<AccountLimits> {
  return { codeTtlMs, accessTtlMs, refreshIdleMs, grantLifetimeMs, refreshGraceMs }
}
