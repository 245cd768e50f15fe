/** What an author configures of either way of authorization: plain data and functions. */
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

export type EmbeddedSettings = EmbeddedOptions & { readonly kind: 'embedded' }
export type ExternalSettings = ExternalOptions & { readonly kind: 'external' }
export type AuthSettings = EmbeddedSettings | ExternalSettings
