/** Authorization by somebody else's authorization server: what an author configures. */
import type { ScopeOptions } from './resource/scopes.ts'

export interface IssuerOptions {
  /** Exactly as it writes `iss`. */
  readonly issuer: string
  /** Where its keys are. Default: what its metadata says. */
  readonly jwksUri?: string
  /** What it writes as `aud`. Default: the URL of the endpoint. */
  readonly audience?: string
  /** Default RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[]
}

export interface ExternalOptions {
  readonly issuers: readonly IssuerOptions[]
  /** Where this server is reached; see `embedded`. */
  readonly origin?: string
  readonly scopes: ScopeOptions
  readonly aliases?: readonly string[]
}

export interface ExternalAuth extends ExternalOptions {
  readonly kind: 'external'
}

/** Tokens of one or several issuers, verified by the keys they publish. */
export function external(options: ExternalOptions): ExternalAuth {
  return { ...options, kind: 'external' }
}
