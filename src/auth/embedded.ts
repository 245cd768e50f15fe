/** Authorization by this server's own authorization server. */
import type { AccountLimits } from '../ports/accounts.ts'
import type { AuthConfig } from './auth-config.ts'
import { createAuthGate } from './auth-gate.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { createEmbeddedServers, type EmbeddedServers } from './embedded-servers.ts'
import { type AuthLimits, DEFAULT_AUTH_LIMITS } from './server/auth-limits.ts'
import { createRoutes } from './server/routes.ts'

/**
 * Runs an authorization server beside the endpoint and accepts its access tokens. Needs the bindings
 * `MCP_KEYRING` and `MCP_ACCOUNT`.
 *
 * @throws {TypeError} from `createEdgeway`, when the origin or a lifetime of codes, tokens or grants is
 *   invalid. Other invalid options and missing bindings are reported to telemetry with the first request, which receives a 503.
 */
export function embedded(options: EmbeddedOptions): AuthConfig {
  const { origin, aliases = [] } = options
  return {
    accountLimits: accountLimits({ ...DEFAULT_AUTH_LIMITS, ...options.limits }),
    createGate: (context) =>
      createAuthGate(context, {
        origin,
        aliases,
        routes: createRoutes(({ authorizationServer }: EmbeddedServers) => authorizationServer),
        build: (place) => createEmbeddedServers(options, context, place),
      }),
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
