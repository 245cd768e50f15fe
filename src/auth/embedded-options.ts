/** The options of `embedded()`. */

import type { OriginOptions } from '../security/configured-origins.ts'
import type { RedirectOptions } from './clients/redirect-policy.ts'
import type { StaticClientOptions } from './clients/static-clients.ts'
import type { AuthFeature } from './feature/auth-feature.ts'
import type { Login } from './login/login.ts'
import type { AdmissionOptions } from './people/admission.ts'
import type { RenewalOptions } from './renew-caller.ts'
import type { ScopeOptions } from './resource/scopes.ts'
import type { AuthLimits } from './server/auth-limits.ts'
import type { AuthHooks } from './server/hooks.ts'

export interface EmbeddedOptions extends RenewalOptions, OriginOptions, AdmissionOptions {
  /**
   * Whether a person has an account of their own at each of several origins, so that `/account` of one shows
   * and ends nothing of the other. Default false: one account for all origins. The accounts of the first
   * origin are those of a server with that origin alone.
   */
  readonly accountsPerOrigin?: boolean
  /** The scopes of this server by name, each with its description on the consent page. */
  readonly scopes: ScopeOptions
  /** How people sign in. Default: `passphrase()`. */
  readonly login?: Login
  /** Other URLs of the endpoint that are valid audiences, such as those of an earlier domain. */
  readonly aliases?: readonly string[]
  /** Preregistered clients. All others register themselves or publish a client metadata document. */
  readonly clients?: readonly StaticClientOptions[]
  /** Which redirect URIs clients may register. Default: https, loopback, and schemes of known apps. */
  readonly redirects?: RedirectOptions
  /**
   * What the authorization server has besides codes, refresh tokens and client secrets: `personalAccessTokens()`,
   * `dpop()`, `assertions({ … })`, `privateKeyJwt()`. Default: none. An app contains the code of those it names.
   */
  readonly features?: readonly (AuthFeature | false | null | undefined)[]
  /** Functions that decide about tokens before they are issued. */
  readonly hooks?: AuthHooks
  /** Lifetimes. Default: see each member. */
  readonly limits?: Partial<AuthLimits>
}
