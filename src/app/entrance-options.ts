/** What the entrance of the endpoint needs, from the options of the app and its parts. */
import type { AuthConfig } from '../auth/auth-config.ts'
import type { EntranceOptions } from '../transport/entrance.ts'
import { SessionIds } from '../transport/session/session-id.ts'
import type { EdgewayOptions } from './options.ts'

type Endpoint = EntranceOptions['endpoint']

interface EntranceParts
  extends Pick<EntranceOptions, 'dispatcher' | 'queryParams' | 'checkHost' | 'servicesOf'>,
    Pick<Endpoint, 'codecOf' | 'limits' | 'audience' | 'report' | 'deploymentOf'> {
  readonly auth: AuthConfig | undefined
  readonly gate: EntranceOptions['authenticator']
}

export function createEntranceOptions(
  options: Pick<
    EdgewayOptions,
    'allowedOrigins' | 'strict' | 'sessionsOnly' | 'modernOnly' | 'headerMismatch'
  >,
  parts: EntranceParts,
): EntranceOptions {
  const { auth, gate, dispatcher, queryParams, checkHost, servicesOf } = parts
  const { codecOf, limits, audience, report, deploymentOf } = parts
  const { allowedOrigins, strict = false, sessionsOnly = false, modernOnly = false } = options
  const usesCookies = auth?.usesCookies === true
  return {
    dispatcher,
    queryParams,
    endpoint: {
      codecOf,
      limits,
      strict,
      sessionsOnly,
      modernOnly,
      headerMismatch: options.headerMismatch ?? 'strict',
      usesCookies,
      credentialHeader: auth?.credentialHeader,
      // What stands in front of this handler may use cookies.
      requiresContentType: usesCookies || auth?.type === 'context',
      audience,
      report,
      deploymentOf,
      sessionIds: new SessionIds(),
    },
    checkHost,
    origins: { allowedOrigins, bearerRequired: auth !== undefined && !usesCookies },
    servicesOf,
    authenticator: gate,
  }
}
