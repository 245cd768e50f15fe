/** What the options of an app and the entry of the package say, before anything is built of them. */

import { developmentFeatures } from '#development'
import type { AuthConfig } from '../feature/auth-config.ts'
import { type Limits, resolveAppLimits } from '../ports/app-limits.ts'
import type { ObjectSettings } from '../ports/objects.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createHostCheck, type HostCheck, type ServedHost } from '../security/host.ts'
import { usesOf } from '../server/mcp-server.ts'
import { createTelemetry } from '../telemetry/create-telemetry.ts'
import type { AppNaming, ServedSource } from './naming.ts'
import type { EdgewayOptions, FactoryOptions } from './options.ts'
import { DEFAULT_PATH } from './paths.ts'

export interface CollectedApp {
  readonly source: ServedSource
  readonly options: EdgewayOptions & Partial<FactoryOptions>
  readonly naming: AppNaming
  readonly path: string | readonly string[]
  readonly auth: AuthConfig | undefined
  readonly strict: boolean
  readonly modernOnly: boolean
  readonly queryParams: readonly string[]
  readonly limits: Limits
  readonly telemetry: Telemetry
  readonly checkHost: HostCheck
  /** Called with the host of each request: an object is created in its jurisdiction where one is not loopback. */
  readonly noteHost: (host: ServedHost) => void
  readonly objectSettings: ObjectSettings
  /** The features that the value of `auth` needs, and those of a development server. */
  readonly needed: readonly unknown[]
  /** The values of the author. */
  readonly passed: readonly unknown[]
}

/** @throws {TypeError} for an invalid limit or host */
export function collectApp(
  source: ServedSource,
  options: EdgewayOptions & Partial<FactoryOptions>,
  naming: AppNaming,
): CollectedApp {
  const { auth, jurisdiction, locationHint, features = [] } = options
  const { sessionClass, sharedObjectsOnly } = naming
  let isPublic = false
  return {
    ...{ source, options, naming, auth },
    checkHost: createHostCheck({ allowedHosts: options.allowedHosts ?? [] }),
    noteHost: ({ loopback }) => {
      isPublic ||= !loopback
    },
    path: options.path ?? DEFAULT_PATH,
    strict: options.strict === true,
    modernOnly: options.modernOnly === true,
    queryParams: options.queryParams ?? [],
    limits: resolveAppLimits(options.limits),
    telemetry: createTelemetry(options.telemetry),
    objectSettings: {
      ...{ jurisdiction, locationHint, sharedOnly: sharedObjectsOnly },
      sessionBinding: sessionClass?.binding,
      isPublic: () => isPublic,
    },
    needed: [...developmentFeatures(), ...(auth?.needs ?? [])],
    passed: [...usesOf(source), ...features],
  }
}
