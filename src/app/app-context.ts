/** What an app gives to its features. They are created first, so that most of it is known later. */
import type { AppContext } from '../feature/feature.ts'
import type { AppObjects } from '../ports/objects.ts'
import type { BuiltApp } from './build-app.ts'
import type { CollectedApp } from './collect-app.ts'
import type { InstalledParts } from './install-parts.ts'
import type { Late } from './late.ts'

/** Of an app without the feature `objects()`. */
const NO_OBJECTS: AppObjects = { of: () => undefined }

export function createAppContext(
  {
    limits,
    strict,
    telemetry,
    auth,
    checkHost,
    modernOnly,
    queryParams,
    objectSettings,
  }: CollectedApp,
  parts: Late<InstalledParts>,
  built: Late<BuiltApp>,
): AppContext {
  return {
    ...{ limits, strict, auth, checkHost, modernOnly, queryParams, objectSettings },
    report: telemetry.report,
    partsOf: (name) => parts.value.byName.get(name),
    objectsIn: (env) => parts.value.objects?.objectsIn(env) ?? NO_OBJECTS,
    healthChecks: () => [...parts.value.all, auth].flatMap((part) => part?.health ?? []),
    codecOf: (revision) => built.value.definitions.codecOf(revision),
    servicesOf: (env) => built.value.servicesOf(env),
    deploymentOf: (env) => built.value.deploymentOf(env),
    patternOf: (pathname) => built.value.paths.patternOf(pathname),
    isFree: (at) => {
      const { paths, gate } = built.value
      return paths.isFree(at) && gate?.paths.includes(at) !== true
    },
    get info() {
      return built.value.definitions.info
    },
    get definition() {
      return built.value.definitions.definition
    },
    get audience() {
      return built.value.audience
    },
    get origins() {
      return built.value.origins
    },
    get gate() {
      return built.value.gate
    },
    get ownResource() {
      return parts.value.ownResource
    },
    get patterns() {
      return built.value.paths.patterns
    },
    get singlePaths() {
      return built.value.paths.single
    },
    get httpSse() {
      return built.value.paths.httpSse
    },
    get extensions() {
      return parts.value.extensions
    },
    get entranceOptions() {
      return built.value.entranceOptions
    },
  }
}
