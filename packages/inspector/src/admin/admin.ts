/** `admin()`: what an operator does, for the author's own code, and over HTTP. */

import type { Feature } from '../../../../src/feature/index.ts'
import {
  type AppContext,
  createCheckHealth,
  createFeature,
  Entrance,
  type FeatureParts,
  type PathPattern,
  type Route,
  type TaskControl,
} from '../../../../src/internal.ts'
import { NO_PARAMS } from '../../../../src/protocol/factory-params.ts'
import { TIMELINE_STORE } from '../objects/log/port.ts'
import { timelineOf } from '../timeline/installed.ts'
import { type Admin, createAdmin } from './control/admin.ts'
import { createAdminHandlers } from './endpoint/admin-endpoint.ts'
import {
  type AdminOptions,
  checkAdminOptions,
  checkAdminPath,
  createAdminPattern,
} from './endpoint/admin-options.ts'

/** What `admin()` brings to `edgeway`. */
export interface AdminApi {
  /** What an operator does, from the author's own code. No caller is checked. */
  readonly admin: Admin
}

export type AdminFeature = Feature<'admin', AdminApi>

/**
 * What an operator does: `edgeway.admin(env)`, and `POST /admin` for the callers that `owners` and `scope`
 * name. Without them it is not served over HTTP.
 *
 * @throws {TypeError} for invalid options
 */
export function admin<Env = Cloudflare.Env>(options: AdminOptions<Env> = {}): AdminFeature {
  // The environment of a Worker is the one that its author describes.
  const untyped = options as AdminOptions
  checkAdminOptions(untyped)
  return createFeature('admin', (app) => createParts(app, untyped))
}

function createParts(app: AppContext, options: AdminOptions): FeatureParts<AdminApi> {
  const pattern = createAdminPattern(options, app.auth)
  const control = (env: unknown): Admin =>
    createAdmin({
      services: app.servicesOf(env),
      access: app.gate?.access,
      env,
      checkHealth: createCheckHealth(app),
      cancelTask: async (taskId) => (await tasksOf(app, env).cancel(taskId)) !== undefined,
      onDeletePerson: options.onDeletePerson,
    })
  return {
    ownResource: pattern && { pattern, scope: options.scope },
    routes: () => (pattern === undefined ? [] : [createRoute(app, options, pattern, control)]),
    api: { admin: control },
  }
}

function createRoute(
  app: AppContext,
  options: AdminOptions,
  path: PathPattern,
  adminOf: (env: unknown) => Admin,
): Route {
  const { entranceOptions, singlePaths, servicesOf, isFree } = app
  checkAdminPath(path, (at) => !isFree(at))
  const handlers = createAdminHandlers({
    options,
    adminOf,
    paths: singlePaths,
    timelineOf: (env) =>
      servicesOf(env).of(TIMELINE_STORE) === undefined ? undefined : timelineOf(app)?.(env),
  })
  const at = { resourcePath: path.source, handlers, params: NO_PARAMS }
  // No page of a browser uses it.
  const entrance = new Entrance({
    ...entranceOptions,
    endpoint: { ...entranceOptions.endpoint, requiresContentType: true },
    origins: { allowedOrigins: [], bearerRequired: false },
  })
  return {
    path: path.route,
    handle: (request, env, ctx) => entrance.serve(request, env, ctx, at),
  }
}

/** @throws {TypeError} in an app without tasks */
function tasksOf(app: AppContext, env: unknown): TaskControl {
  const { tasks } = (app.partsOf('tasks')?.api ?? {}) as { tasks?: (env: unknown) => TaskControl }
  if (tasks === undefined) throw new TypeError('Tasks need features: [tasks()]')
  return tasks(env)
}
