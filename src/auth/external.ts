/** Authorization by external issuers: this server verifies their tokens and issues none. */

import type { AuthConfig } from '../feature/auth-config.ts'
import { listedOrigins, type OriginOptions } from '../security/configured-origins.ts'
import { createAuthGate } from './auth-gate.ts'
import { AUTH_FEATURE, type AuthFeature, readAuthFeatures } from './feature/auth-feature.ts'
import { createRenewal, type RenewalOptions } from './renew-caller.ts'
import type { DpopSupport } from './resource/dpop.ts'
import { createExternalVerifier, type IssuerOptions } from './resource/external-issuer.ts'
import { ResourceServer } from './resource/resource-server.ts'
import type { Resources } from './resource/resources.ts'
import {
  createScopesOfResource,
  createScopeTable,
  describedScopes,
  type ScopeOptions,
} from './resource/scopes.ts'
import { chooseIssuer, type TokenVerifier } from './resource/token-verifier.ts'

export interface ExternalOptions extends RenewalOptions, OriginOptions {
  /**
   * Accepted issuers of access tokens. At least one. With several, the default subject names the
   * issuer too: see {@link IssuerOptions.subject}. A second issuer therefore changes the subjects of
   * the first one, unless that has a `subject` function.
   */
  readonly issuers: readonly IssuerOptions[]
  /** The scopes of this server by name, each with its description. */
  readonly scopes: ScopeOptions
  /** Other URLs of the endpoint that are valid audiences, such as those of an earlier domain. */
  readonly aliases?: readonly string[]
  /**
   * `dpop()` accepts access tokens that are bound to a key of their client. Default: none, so that such a token
   * is refused.
   */
  readonly features?: readonly (AuthFeature<'dpop'> | false | null | undefined)[]
}

/**
 * Accepts access tokens of external issuers: JWTs, verified with the keys that each issuer publishes.
 *
 * @throws {TypeError} from `createEdgeway`, when an option is invalid
 */
export function external(options: ExternalOptions): AuthConfig {
  return {
    type: 'external',
    origins: listedOrigins(options),
    scopes: describedScopes(options.scopes),
    createGate: (context) => {
      const createDpop = dpopOf(options)
      return createAuthGate(context, {
        ...options,
        members: () => ({ renewCaller: createRenewal(options) }),
        check: (resources) => {
          createScopesOfResource(createScopeTable(options.scopes), resources)
          chooseIssuer(createVerifiers(options, resources))
        },
        build: ({ origin, resources }) => ({
          origin,
          resourceServer: new ResourceServer({
            resources,
            scopes: createScopeTable(options.scopes),
            verifiers: createVerifiers(options, resources),
            dpop: createDpop?.(),
            report: context.report,
          }),
        }),
      })
    },
  }
}

/** @throws {TypeError} for any other feature: this server issues no tokens */
function dpopOf({ features }: ExternalOptions): (() => DpopSupport) | undefined {
  const [dpop, ...others] = readAuthFeatures(features, 'external', 'dpop()')
  const { createDpop } = dpop?.[AUTH_FEATURE] ?? {}
  const other = dpop === undefined || createDpop !== undefined ? others[0] : dpop
  if (other === undefined) return createDpop
  throw new TypeError(`external({ features }): ${other.name}() is a feature of embedded() alone`)
}

function createVerifiers(
  { issuers }: ExternalOptions,
  resources: Resources,
): readonly TokenVerifier[] {
  if (!Array.isArray(issuers)) throw new TypeError('issuers must be a list')
  return issuers.map((issuer: IssuerOptions) => {
    if (typeof issuer?.issuer !== 'string') {
      throw new TypeError(
        'issuers must be a list of objects such as { issuer: "https://login.example.com" }',
      )
    }
    return createExternalVerifier({
      ...issuer,
      isOnly: issuers.length === 1,
      resources,
      fetch: (url, init) => fetch(url, init),
    })
  })
}
