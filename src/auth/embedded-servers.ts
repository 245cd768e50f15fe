/** Builds the authorization server and the resource server that accepts its tokens. */

import type { AuthGateContext } from '../feature/auth-config.ts'
import { ConfigurationError } from '../platform/configuration-error.ts'
import type { AuthServices } from '../ports/auth-services.ts'
import { configuredOrigins, type Origins, originVariable } from '../security/configured-origins.ts'
import type { AuthParts, AuthPlace } from './auth-gate.ts'
import { createClientAuthentication } from './clients/client-authentication.ts'
import { createClientDocuments } from './clients/client-document.ts'
import { createClients } from './clients/clients.ts'
import { createRedirectPolicy } from './clients/redirect-policy.ts'
import { createStaticClients } from './clients/static-clients.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import type { AuthFeatures } from './feature/install-auth-features.ts'
import { createGuardedFetch } from './fetch/guarded-fetch.ts'
import { passphrase } from './login/passphrase.ts'
import { PLATFORM } from './login/upstream-fetch.ts'
import { OAuthError } from './oauth-error.ts'
import { createAdmission } from './people/admission.ts'
import { ResourceServer } from './resource/resource-server.ts'
import { createResourceLookup } from './resource/resources.ts'
import { createScopesOfResource, createScopeTable } from './resource/scopes.ts'
import { createEmbeddedVerifier } from './resource/token-verifier.ts'
import { resolveAuthLimits } from './server/auth-limits.ts'
import { type AuthorizationServer, ENDPOINT } from './server/authorization-server.ts'
import { createGrantCheck } from './server/grant-check.ts'

export interface EmbeddedServers extends AuthParts {
  readonly authorizationServer: AuthorizationServer
}

export type EmbeddedServices = Pick<
  AuthorizationServer,
  'sealer' | 'accounts' | 'signingKeys' | 'rateLimits' | 'subscriptions'
>

/** @throws {ConfigurationError} when a binding is missing */
export type ServicesOf = (env: unknown, issuer: string) => EmbeddedServices

/** The services of one of several origins, whose accounts are shared with the others, or apart. */
export function createServicesOf(
  options: EmbeddedOptions,
  { servicesOf }: Pick<AuthGateContext, 'servicesOf'>,
  authServicesOf: (env: unknown) => AuthServices,
): ServicesOf {
  return (env, issuer) => {
    const services = servicesOf(env)
    const sealer = services.sealer()
    const { accounts: shared, accountsIn, signingKeys } = authServicesOf(env)
    const origins = options.accountsPerOrigin === true ? originsIn(options, env) : undefined
    // The first origin has the accounts of a server with one origin, so a second origin moves none.
    const accounts = origins && issuer !== origins[0] ? accountsIn(issuer) : shared
    if (sealer === undefined || signingKeys === undefined || accounts === undefined) {
      throw new ConfigurationError('embedded() needs the binding MCP_OBJECTS')
    }
    return {
      ...{ sealer, accounts, signingKeys },
      rateLimits: services.rateLimits(),
      subscriptions: services.subscriptions(),
    }
  }
}

/** Undefined where the origin of a request on a loopback host is used. */
export function originsIn(options: EmbeddedOptions, env: unknown): Origins | undefined {
  return configuredOrigins(options) ?? originVariable(env)
}

/** @throws {TypeError} when an option is invalid */
export function createEmbeddedServers(
  options: EmbeddedOptions,
  features: AuthFeatures,
  { serverName, report, strict, origins: { isDevelopment } }: AuthGateContext,
  { origin: issuer, origins, resources, env, evict }: AuthPlace,
  services: EmbeddedServices,
): EmbeddedServers {
  const { sealer, accounts, signingKeys, rateLimits } = services
  const limits = resolveAuthLimits(options.limits)
  const { documents: store } = accounts
  const scopes = createScopeTable(options.scopes)
  const scopesOf = createScopesOfResource(scopes, resources)
  const findResource = createResourceLookup(resources)
  const admission = createAdmission(options, scopes, env)
  const checkGrant = createGrantCheck(sealer, accounts, admission, () => signingKeys.revocations())
  const guardedFetch = createGuardedFetch({ fetch: PLATFORM.fetch, ownOrigins: origins })
  const redirects = createRedirectPolicy(options.redirects)
  const support = features.clients
  const clients = createClients({
    issuer,
    sealer,
    staticClients: createStaticClients(options.clients ?? [], options.redirects, support),
    documents: createClientDocuments({ fetch: guardedFetch, redirects, support, issuer, store }),
    redirects,
    support,
  })
  const parts = features.create({
    issuer,
    tokenEndpoint: `${issuer}${ENDPOINT.token}`,
    resources,
    sealer,
    documents: store,
    guardedFetch,
    strict,
    report,
  })
  const verifier = createEmbeddedVerifier({
    issuer,
    resources,
    verificationKey: (kid) => signingKeys.verificationKey(kid),
  })
  const resourceServer = new ResourceServer({
    resources,
    scopes,
    verifiers: [parts.wrapVerifier(verifier)],
    dpop: parts.dpop,
    checkGrant,
    grantChecks: limits,
    report,
  })
  const authorizationServer: AuthorizationServer = {
    issuer,
    serverName,
    defaultResource: resources.single.find(({ ownScope }) => ownScope === undefined)?.resource,
    resources,
    findResource,
    scopesOf: (resource) => scopesOf(findResource(resource) ?? {}),
    administers: (resource) => findResource(resource)?.ownScope !== undefined,
    scopes,
    clients,
    authenticateClient: createClientAuthentication({
      clients,
      assertions: parts.clientAssertions,
      rateLimits,
    }),
    ...services,
    checkDpop: parts.checkDpop,
    parts: parts.server,
    verifyAccessToken: async (token) => {
      try {
        return await verifier.verify(token)
      } catch (error) {
        // Any other error means that the token could not be verified, not that it is invalid.
        if (error instanceof OAuthError && error.code === 'invalid_token') return undefined
        throw error
      }
    },
    login: options.login ?? passphrase(),
    admission,
    checkGrant,
    hooks: options.hooks ?? {},
    limits,
    env,
    isDevelopment: (request) => isDevelopment(request, env),
    report,
    evictGrant: (grantId) => evict({ grantId }),
  }
  return { origin: issuer, resourceServer, authorizationServer }
}
