/** One resource server, and one authorization server where it is our own, put together. */
import type { Account } from '../ports/accounts.ts'
import type { Services } from '../ports/services.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthSettings, EmbeddedSettings } from './auth-settings.ts'
import { createClientAuthentication } from './clients/client-authentication.ts'
import { createClientDocuments } from './clients/client-document.ts'
import { createClientKeys } from './clients/client-keys.ts'
import { createClients } from './clients/clients.ts'
import { createRedirectPolicy } from './clients/redirect-policy.ts'
import { createStaticClients } from './clients/static-clients.ts'
import { createGuardedFetch } from './fetch/guarded-fetch.ts'
import { passphrase } from './login/passphrase.ts'
import { OAuthError } from './oauth-error.ts'
import { createPages } from './pages/pages.ts'
import type { AccessToken } from './resource/access-token.ts'
import { createDpopCheck, createDpopProofs } from './resource/dpop.ts'
import { createEmbeddedVerifier } from './resource/embedded-issuer.ts'
import { createExternalVerifier } from './resource/external-issuer.ts'
import { createResourceServer, type ResourceServer } from './resource/resource-server.ts'
import { comparable, type ResourceOptions } from './resource/resources.ts'
import { createScopeTable } from './resource/scopes.ts'
import { createAssertionCheck } from './server/assertion.ts'
import { DEFAULT_AUTH_LIMITS } from './server/auth-limits.ts'
import { type AuthorizationServer, ENDPOINT } from './server/authorization-server.ts'
import { trustedProvider } from './server/trusted-provider.ts'

export interface AuthSetup {
  readonly config: AuthSettings
  readonly serverName: string
  readonly paths: readonly string[]
  /** Further addresses of the first path's resource. */
  readonly aliasPaths: readonly string[]
  readonly servicesOf: (env: unknown) => Services
  readonly report: TelemetrySink
}

export interface AuthParts {
  readonly origin: string
  readonly resourceServer: ResourceServer
  readonly authorizationServer: AuthorizationServer | undefined
}

/** The platform's own, called as a function. */
const platformFetch = (url: string, init: RequestInit) => fetch(url, init)

export function authFor(
  setup: AuthSetup,
  origin: string,
  env: unknown,
  loopback: boolean,
): AuthParts {
  const { config, paths, aliasPaths, serverName } = setup
  const [first = '/'] = paths
  const aliases = [...(config.aliases ?? []), ...aliasPaths.map((path) => `${origin}${path}`)]
  const resources: ResourceOptions[] = paths.map((path) => ({
    resource: `${origin}${path}`,
    name: serverName,
    ...(path === first ? { aliases } : undefined),
  }))
  return config.kind === 'embedded'
    ? embeddedParts(setup, config, resources, origin, env, loopback)
    : {
        origin,
        resourceServer: createResourceServer({
          resources,
          scopes: createScopeTable(config.scopes),
          verifiers: config.issuers.map((issuer) =>
            createExternalVerifier({ ...issuer, resources, fetch: platformFetch }),
          ),
          checkDpop: createDpopProofs(),
          report: setup.report,
        }),
        authorizationServer: undefined,
      }
}

/** @throws {TypeError} where a binding is missing */
function embeddedParts(
  { servicesOf, serverName, report }: AuthSetup,
  config: EmbeddedSettings,
  resources: readonly ResourceOptions[],
  issuer: string,
  env: unknown,
  loopback: boolean,
): AuthParts {
  const limits = { ...DEFAULT_AUTH_LIMITS, ...config.limits }
  const services = servicesOf(env)
  const [sealer, signingKeys, accounts] = [
    services.sealer(),
    services.signingKeys(),
    services.accounts(),
  ]
  if (sealer === undefined || signingKeys === undefined || accounts === undefined) {
    throw new TypeError('embedded() needs the bindings MCP_KEYRING and MCP_ACCOUNT')
  }
  const { documents: store } = accounts
  const scopes = createScopeTable(config.scopes)
  const guardedFetch = createGuardedFetch({ fetch: platformFetch })
  const redirects = createRedirectPolicy(config.redirects)
  const redeem = (name: string, expiresAt: number) => sealer.redeem(name, expiresAt)
  const clients = createClients({
    issuer,
    sealer,
    staticClients: createStaticClients(config.clients ?? [], config.redirects),
    documents: createClientDocuments({ fetch: guardedFetch, redirects, issuer, store }),
    redirects,
  })
  const checkDpop = createDpopProofs({ redeem })
  const verifier = createEmbeddedVerifier({
    issuer,
    resources,
    verificationKey: (kid) => signingKeys.verificationKey(kid),
  })
  // What is the same for a token however often its grant is looked at.
  const seen = new WeakMap<AccessToken, { account: Account; key: string | undefined }>()
  const look = async (token: AccessToken) => {
    const { subject, grantId = '', grantKey } = token
    const opened = grantKey && (await sealer.open('grant-key', grantKey, grantId))
    const found = {
      account: accounts.of(subject),
      key: opened ? new TextDecoder().decode(opened) : undefined,
    }
    seen.set(token, found)
    return found
  }
  const resourceServer = createResourceServer({
    resources,
    scopes,
    verifiers: [verifier],
    checkDpop: createDpopProofs(),
    checkGrant: async (token) => {
      const { grantId } = token
      if (grantId === undefined) return { active: true }
      const { account, key } = seen.get(token) ?? (await look(token))
      return account.check(grantId, key)
    },
    grantCheckMs: limits.grantCheckMs,
    report,
  })
  const authorizationServer: AuthorizationServer = {
    issuer,
    serverName,
    resources: resources.map(({ resource }) => resource),
    aliases: new Map(
      resources.flatMap(({ resource, aliases = [] }) =>
        aliases.map((alias) => [comparable(alias), resource] as const),
      ),
    ),
    scopes,
    clients,
    authenticateClient: createClientAuthentication({
      clients,
      keys: createClientKeys({ fetch: guardedFetch, store }),
      issuer,
      tokenEndpoint: `${issuer}${ENDPOINT.token}`,
      redeem,
    }),
    accounts,
    sealer,
    signingKeys,
    checkDpop: createDpopCheck(checkDpop),
    verifyAssertion: createAssertionCheck(
      issuer,
      (config.trustedProviders ?? []).map((provider) => trustedProvider(provider, platformFetch)),
      redeem,
    ),
    verifyAccessToken: async (token) => {
      try {
        return await verifier.verify(token)
      } catch (error) {
        // What is no token of ours; that it cannot be told is another matter.
        if (error instanceof OAuthError && error.code === 'invalid_token') return undefined
        throw error
      }
    },
    login: config.login ?? passphrase(),
    pages: createPages(),
    hooks: config.hooks ?? {},
    limits,
    env,
    loopback,
    report,
    onRevoked: (grantId) => resourceServer.forget(grantId),
  }
  return { origin: issuer, resourceServer, authorizationServer }
}
