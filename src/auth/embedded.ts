/** The auth gate of `embedded()`: resource server and authorization server. */

import type { AuthConfig, AuthGate } from '../feature/auth-config.ts'
import type { AccountLimits } from '../ports/account-limits.ts'
import type { AuthServices } from '../ports/auth-services.ts'
import { createAccessControl } from './access-control.ts'
import { type BuiltParts, createAuthGate } from './auth-gate.ts'
import { checkEmbeddedOptions } from './check-embedded-options.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import {
  createEmbeddedServers,
  createServicesOf,
  type EmbeddedServers,
} from './embedded-servers.ts'
import { AUTH_SETUP } from './feature/auth-feature.ts'
import { installAuthFeatures } from './feature/install-auth-features.ts'
import { OAuthError } from './oauth-error.ts'
import { createAdmission } from './people/admission.ts'
import { createRenewal } from './renew-caller.ts'
import { createScopeTable } from './resource/scopes.ts'
import { type AuthLimits, resolveAuthLimits } from './server/auth-limits.ts'
import { createUpstreamSource } from './server/find-upstream-token.ts'
import { createGrantCheck } from './server/grant-check.ts'
import { createRoutes } from './server/routes.ts'
import { SIGN_IN_FOR_INSPECTOR } from './server/sign-in-page.ts'
import { signedIn, visitor } from './server/signed-in.ts'

export function createEmbeddedGate(
  options: EmbeddedOptions,
  authServicesOf: (env: unknown) => AuthServices,
): AuthConfig['createGate'] {
  return (context) => {
    const features = installAuthFeatures(options.features, AUTH_SETUP.of(context.extensions))
    const servicesOf = createServicesOf(options, context, authServicesOf)
    return createAuthGate<EmbeddedServers>(context, {
      ...options,
      check: (resources) => checkEmbeddedOptions(options, resources, features),
      routes: createRoutes(({ authorizationServer }) => authorizationServer, features),
      build: (place) => {
        const services = servicesOf(place.env, place.origin)
        return createEmbeddedServers(options, features, context, place, services)
      },
      members: (built) => ({
        renewCaller: createRenewal(options, (env, issuer) => {
          const { sealer, accounts, signingKeys } = servicesOf(env, issuer)
          const admission = createAdmission(options, createScopeTable(options.scopes), env)
          return createGrantCheck(sealer, accounts, admission, () => signingKeys.revocations())
        }),
        ...createAccessControl(context, options, servicesOf, features, built),
        ...createBrowserSignIn(built),
        ...createUpstreamSource(options.login, servicesOf, context.report),
      }),
    })
  }
}

function createBrowserSignIn({
  open,
}: BuiltParts<EmbeddedServers>): Pick<AuthGate, 'visitor' | 'signIn'> {
  const serverFor = (request: Request, env: unknown) => {
    const parts = open(request, env)
    return parts instanceof OAuthError ? undefined : parts.authorizationServer
  }
  return {
    async visitor(request, env, path) {
      const server = serverFor(request, env)
      return server && visitor(server, request, `${server.issuer}${path}`)
    },
    signIn: {
      path: SIGN_IN_FOR_INSPECTOR,
      async subject(request, env) {
        const server = serverFor(request, env)
        return server && (await signedIn(server, request))?.subject
      },
    },
  }
}

/**
 * The limits that the account object applies.
 *
 * @throws {TypeError} for an invalid limit
 */
export function accountLimits(limits?: Partial<AuthLimits>): Partial<AccountLimits> {
  const { codeTtlMs, accessTtlMs, refreshIdleMs, grantLifetimeMs, refreshGraceMs } =
    resolveAuthLimits(limits)
  return { codeTtlMs, accessTtlMs, refreshIdleMs, grantLifetimeMs, refreshGraceMs }
}
