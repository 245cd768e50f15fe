/** Authorization by the server's own authorization server: what an author configures. */

import type { RedirectOptions } from './clients/redirect-policy.ts'
import type { StaticClientOptions } from './clients/static-clients.ts'
import type { Login } from './login/login.ts'
import type { ScopeOptions } from './resource/scopes.ts'
import type { AuthLimits } from './server/auth-limits.ts'
import type { AuthHooks } from './server/hooks.ts'

export interface TrustedProviderOptions {
  /** Exactly as it writes `iss`. */
  readonly issuer: string
  /** Where its keys are. Default: what its metadata says. */
  readonly jwksUri?: string
  /** Whose assertions become whose. Default: `<issuer>#<sub>`. */
  readonly subject?: (claims: { readonly [name: string]: unknown }) => string
}

export interface EmbeddedOptions {
  /**
   * Where this server is reached, without a path: `https://mcp.example.com`. It is the issuer, and
   * part of what every token is for, so it is never read from a request. Default: the variable
   * `EDGEWAY_ORIGIN`, and on a loopback host that host.
   */
  readonly origin?: string
  /** The scopes that there are, in the words of the consent page. */
  readonly scopes: ScopeOptions
  /** How people sign in. Default: `passphrase()`. */
  readonly login?: Login
  /** Other URLs of the endpoint, such as those of a moved domain: as good in a token. */
  readonly aliases?: readonly string[]
  /** Clients of your own; all others register themselves, or publish a document. */
  readonly clients?: readonly StaticClientOptions[]
  /** Which apps may be sent an answer. Default: every https address, loopback, and known schemes. */
  readonly redirects?: RedirectOptions
  /** Identity providers whose assertions are taken for a person's consent (enterprise-managed authorization). */
  readonly trustedProviders?: readonly TrustedProviderOptions[]
  readonly hooks?: AuthHooks
  readonly limits?: Partial<AuthLimits>
}

export interface EmbeddedAuth extends EmbeddedOptions {
  readonly kind: 'embedded'
}

/**
 * An authorization server of one's own, next to the endpoint. Needs the bindings `MCP_KEYRING` and
 * `MCP_ACCOUNT`, and to know where it is reached.
 */
export function embedded(options: EmbeddedOptions): EmbeddedAuth {
  return { ...options, kind: 'embedded' }
}
