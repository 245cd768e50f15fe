/** What the entrance of the endpoint needs, from the options of the app and its parts. */
import type { AuthConfig } from '../feature/auth-config.ts'
import type { EntranceOptions } from '../transport/entrance.ts'
import type { TransportExtensions } from '../transport/extensions.ts'
import type { EdgewayOptions } from './options.ts'

type Endpoint = EntranceOptions['endpoint']

interface EntranceParts
  extends Pick<EntranceOptions, 'dispatcher' | 'queryParams' | 'checkHost' | 'servicesOf'>,
    Pick<Endpoint, 'codecOf' | 'limits' | 'audience' | 'report' | 'originOf' | 'deploymentOf'> {
  readonly extensions: TransportExtensions
  readonly auth: AuthConfig | undefined
  readonly gate: EntranceOptions['authenticator']
}

export function createEntranceOptions(
  options: Pick<EdgewayOptions, 'allowedOrigins' | 'strict' | 'modernOnly' | 'headerMismatch'>,
  parts: EntranceParts,
): EntranceOptions {
  const { auth, gate, dispatcher, queryParams, checkHost, servicesOf } = parts
  const { codecOf, limits, audience, report, originOf, deploymentOf } = parts
  const { allowedOrigins, strict = false, modernOnly = false } = options
  const usesCookies = auth?.usesCookies === true
  const requiresToken = auth !== undefined && !usesCookies && auth.allowsAnonymous !== true
  return {
    dispatcher,
    queryParams,
    endpoint: {
      codecOf,
      limits,
      strict,
      modernOnly,
      extensions: parts.extensions,
      headerMismatch: options.headerMismatch ?? 'strict',
      usesCookies,
      credentialHeader: auth?.credentialHeader,
      requiresContentType: usesCookies || mayBeAddedInFront(auth),
      audience,
      report,
      originOf,
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
