/** What the entrance of the endpoint needs, from the options of the app and its parts. */
import type { AuthConfig } from '../feature/auth-config.ts'
import type { EntranceOptions } from '../transport/entrance.ts'
import type { TransportExtensions } from '../transport/extensions.ts'
import type { BuiltApp } from './build-app.ts'
import type { CollectedApp } from './collect-app.ts'

export function createEntranceOptions(
  { options, auth, limits, strict, modernOnly, queryParams, checkHost, telemetry }: CollectedApp,
  extensions: TransportExtensions,
  {
    definitions,
    audience,
    gate,
    origins,
    servicesOf,
    deploymentOf,
  }: Omit<BuiltApp, 'entranceOptions'>,
): EntranceOptions {
  const { allowedOrigins, headerMismatch = 'strict' } = options
  const { dispatchers, codecOf } = definitions
  const usesCookies = auth?.usesCookies === true
  const requiresToken = auth !== undefined && !usesCookies && auth.allowsAnonymous !== true
  return {
    dispatchers,
    queryParams,
    endpoint: {
      codecOf,
      limits,
      strict,
      modernOnly,
      extensions,
      headerMismatch,
      usesCookies,
      credentialHeader: auth?.credentialHeader,
      requiresContentType: usesCookies || mayBeAddedInFront(auth),
      audience,
      report: telemetry.report,
      originOf: origins.ofRequest,
      deploymentOf,
    },
    checkHost,
    origins: { allowedOrigins, bearerRequired: requiresToken },
    servicesOf,
    authenticator: gate,
  }
}

/**
 * Whether what stands in front of this handler may recognise a browser by its cookies: it does so for
 * `fromContext()`, and it may add a header of its own, as Cloudflare Access does.
 */
function mayBeAddedInFront(auth: AuthConfig | undefined): boolean {
  const header = auth?.credentialHeader
  return auth?.type === 'context' || (header !== undefined && header !== 'authorization')
}
