/** Authorization by somebody else's server. */
import type { AuthConfig } from './auth-config.ts'
import { createAuthGate } from './auth-gate.ts'
import type { ExternalOptions } from './auth-settings.ts'

/** Tokens of one or several issuers, verified by the keys they publish. */
export function external(options: ExternalOptions): AuthConfig {
  return { createGate: (place) => createAuthGate({ ...options, kind: 'external' }, place) }
}
