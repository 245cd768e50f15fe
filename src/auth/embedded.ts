/** Authorization by a server of one's own. */
import type { AuthConfig } from './auth-config.ts'
import { createAuthGate } from './auth-gate.ts'
import type { EmbeddedOptions } from './auth-settings.ts'

/**
 * An authorization server of one's own, next to the endpoint. Needs the bindings `MCP_KEYRING` and
 * `MCP_ACCOUNT`, and to know where it is reached.
 */
export function embedded(options: EmbeddedOptions): AuthConfig {
  return { createGate: (place) => createAuthGate({ ...options, kind: 'embedded' }, place) }
}
