/** The auth gate of `embedded()`: resource server and authorization server. */

import type { AuthConfig } from '../feature/auth-config.ts'
import type { AccountLimits } from '../ports/account-limits.ts'
import type { AuthServices } from '../ports/auth-services.ts'
import { createAccessControl } from './access-control.ts'
import { accountsOfIssuer, originsIn } from './accounts-of-issuer.ts'
import { createAuthGate } from './auth-gate.ts'
import { checkEmbeddedOptions } from './check-embedded-options.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import {
  createEmbeddedServers,
  type EmbeddedServers,
  MISSING_BINDINGS,
} from './embedded-servers.ts'
import { installAuthFeatures } from './feature/install-auth-features.ts'
import { createAdmission } from './people/admission.ts'
import { createRenewal } from './renew-caller.ts'
import { createScopeTable } from './resource/scopes.ts'
import { type AuthLimits, resolveAuthLimits } from './server/auth-limits.ts'
import { createUpstreamSource } from './server/find-upstream-token.ts'
import { createGrantCheck } from './server/grant-check.ts'
import { createRoutes } from './server/routes.ts'
import { SIGN_IN_FOR_INSPECTOR } from './server/sign-in-return.ts'
import { signedIn } from './server/signed-in.ts'
import { visitor } from './server/visitor.ts'

export function createEmbeddedGate(
  options: EmbeddedOptions,
  authServicesOf: (env: unknown) => AuthServices,
): AuthConfig['createGate'] {
  const { aliases = [] } = options
  return (context) => {
    const features = installAuthFeatures(options.features)
    const servicesOf = (env: unknown, issuer: string) => {
      const sealer = context.servicesOf(env).sealer()
      const origins = originsIn(options, env)
      const services = authServicesOf(env)
      const accounts = accountsOfIssuer(options, services, issuer, origins)
      const { signingKeys } = services
      if (sealer === undefined || accounts === undefined || signingKeys === undefined) {
        throw new TypeError(MISSING_BINDINGS)
      }
      return { sealer, accounts, signingKeys }
    }
    const gate = createAuthGate(context, {
      ...options,
      aliases,
      check: (resources) => checkEmbeddedOptions(options, resources, features),
      routes: createRoutes(
        ({ authorizationServer }: EmbeddedServers) => authorizationServer,
        features.forms,
      ),
      renewCaller: createRenewal(options, (env, issuer) => {
        const { sealer, accounts, signingKeys } = servicesOf(env, issuer)
        const admission = createAdmission(options, createScopeTable(options.scopes), env)
        return createGrantCheck(sealer, accounts, admission, () => signingKeys.revocations())
      }),
      access: createAccessControl(
        context,
        (env) => originsIn(options, env),
        (env, origin) => servicesOf(env, origin),
        { ...resolveAuthLimits(options.limits), isApart: options.accountsPerOrigin === true },
      ),
      async changeDefinition(subject, env) {
        // A person with an account at each of several origins is one subject for `notify`.
        const issuers = options.accountsPerOrigin ? originsIn(options, env) : undefined
        await Promise.all(
          (issuers ?? ['']).map((issuer) =>
            servicesOf(env, issuer).accounts.of(subject).changeDefinitionVersion(),
          ),
        )
      },
      visitor: (request, { authorizationServer }, resource) =>
        visitor(authorizationServer, request, resource),
      signIn: {
        path: SIGN_IN_FOR_INSPECTOR,
        subject: async (request, { authorizationServer }) =>
          (await signedIn(authorizationServer, request))?.subject,
      },
      build: (place) =>
        createEmbeddedServers(
          options,
          features,
          context,
          place,
          authServicesOf(place.env),
          context.servicesOf(place.env),
        ),
    })
    const { login } = options
    if (login === undefined) return gate
    const findUpstreamToken = createUpstreamSource({ login, servicesOf, report: context.report })
    return { ...gate, findUpstreamToken }
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
