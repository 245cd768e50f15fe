/** The path of the admin API, which no other part of the app may have. */
import type { AuthConfig } from '../../../feature/auth-config.ts'
import { PathPattern } from '../../../transport/endpoint-paths.ts'
import { type AdminOptions, checkAdminCallers, DEFAULT_ADMIN_PATH } from './admin-options.ts'

/**
 * Undefined where the options name no callers.
 *
 * @throws {TypeError} for invalid options
 */
export function createAdminPattern(
  options: AdminOptions,
  auth: AuthConfig | undefined,
): PathPattern | undefined {
  if (options.owners === undefined && options.scope === undefined) return undefined
  checkAdminCallers(options, auth)
  const pattern = new PathPattern('admin.path', options.path ?? DEFAULT_ADMIN_PATH)
  if (pattern.paramNames.length > 0) throw new TypeError('admin.path must have no params')
  return pattern
}

/** @throws {TypeError} when another part of the app has the path */
export function checkAdminPath({ source }: PathPattern, isTaken: (path: string) => boolean): void {
  if (isTaken(source) || source === '/' || source.startsWith('/.well-known/')) {
    throw new TypeError(`admin.path "${source}" is a path of this server: name another one`)
  }
}
