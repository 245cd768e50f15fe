/** Authorization by a server of one's own. */
import type { AuthConfig } from './auth-config.ts'
import { createAuthDoor } from './auth-door.ts'
import type { EmbeddedOptions } from './auth-settings.ts'

/**
 * An authorization server of one's own, next to the endpoint. Needs the bindings `MCP_KEYRING` and
 * `MCP_ACCOUNT`, and to know where it is reached.
 */
export function embedded(options: EmbeddedOptions): AuthConfig {
  return { createDoor: (place) => createAuthDoor({ ...options, kind: 'embedded' }, place) }
}
