/** The option `admin` as the app sees it. Types alone: an app without the option bundles no code of it. */
import type { Admin } from '../../admin/admin.ts'
import type { AuthConfig, AuthGate } from '../../auth/auth-config.ts'
import type { CheckHealth } from '../../ports/health.ts'
import type { Services } from '../../ports/services.ts'
import type { TimelineControl } from '../../timeline/timeline-control.ts'
import type { PathPattern } from '../../transport/endpoint-paths.ts'
import type { EntranceOptions } from '../../transport/entrance.ts'
import type { Route } from '../router.ts'

/** What the app gives to the admin API. */
export interface AdminContext {
  readonly gate: AuthGate | undefined
  readonly servicesOf: (env: unknown) => Services
  readonly checkHealth: CheckHealth
  /** Cancels a task by its id. False when there is no such task. */
  readonly cancelTask: (taskId: string, env: unknown) => Promise<boolean>
  /** Undefined in an app without a timeline. */
  readonly timelineOf: ((env: unknown) => TimelineControl) | undefined
  /** Whether another part of the app has a path. */
  readonly isTaken: (path: string) => boolean
  /** The entrance of the endpoint. */
  readonly entranceOptions: EntranceOptions
  /** The paths of the endpoint without params. */
  readonly paths: readonly string[]
}

export interface AdminParts {
  readonly control: (env: unknown) => Admin
  /** Undefined where it is not served over HTTP. */
  readonly route: Route | undefined
}

/** The value of `admin()`, for the option `admin` of `createEdgeway`. */
export interface AdminConfig {
  readonly type: 'admin'
  /** @internal The scope that a token needs, if the options name one. */
  readonly scope: string | undefined
  /** @internal The path over HTTP, if it is served. @throws {TypeError} where `auth` cannot say who calls */
  findPath(auth: AuthConfig | undefined): PathPattern | undefined
  /** @internal @param path the result of `findPath` @throws {TypeError} when the path is taken */
  create(path: PathPattern | undefined, context: AdminContext): AdminParts
}
