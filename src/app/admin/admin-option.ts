/** The option `admin`: the admin API for the author's own code, and over HTTP. */
import { createAdmin } from '../../admin/admin.ts'
import { NO_PARAMS } from '../../protocol/factory-params.ts'
import type { PathPattern } from '../../transport/endpoint-paths.ts'
import { Entrance } from '../../transport/entrance.ts'
import type { Route } from '../router.ts'
import type { AdminConfig, AdminContext, AdminParts } from './admin-config.ts'
import { createAdminHandlers } from './admin-endpoint.ts'
import { type AdminOptions, checkAdminOptions } from './admin-options.ts'
import { checkAdminPath, createAdminPattern } from './admin-path.ts'

/**
 * What an operator does: `edgeway.admin(env)`, and `POST /admin` for the callers that `owners` and `scope`
 * name. Without them it is not served over HTTP.
 *
 * @throws {TypeError} for invalid options
 */
export function admin(options: AdminOptions = {}): AdminConfig {
  checkAdminOptions(options)
  return {
    type: 'admin',
    scope: options.scope,
    findPath: (auth) => createAdminPattern(options, auth),
    create: (path, context) => createParts(options, path, context),
  }
}

function createParts(
  options: AdminOptions,
  path: PathPattern | undefined,
  context: AdminContext,
): AdminParts {
  const { gate, servicesOf, checkHealth, cancelTask } = context
  const control: AdminParts['control'] = (env) =>
    createAdmin({
      services: servicesOf(env),
      access: gate?.access,
      env,
      checkHealth,
      cancelTask: (taskId) => cancelTask(taskId, env),
      onDeletePerson: options.onDeletePerson,
    })
  return { control, route: path && createRoute(options, path, context, control) }
}

function createRoute(
  options: AdminOptions,
  path: PathPattern,
  { isTaken, entranceOptions, paths, servicesOf, timelineOf: controlOf }: AdminContext,
  adminOf: AdminParts['control'],
): Route {
  checkAdminPath(path, isTaken)
  const timelineOf = (env: unknown) =>
    servicesOf(env).timeline() === undefined ? undefined : controlOf?.(env)
  const handlers = createAdminHandlers({ options, adminOf, timelineOf, paths })
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
