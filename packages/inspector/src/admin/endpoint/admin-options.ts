/**
 * The options of `admin()`: who may use the admin API over HTTP.
 *
 * Owners alone are not enough with `embedded()`: a link of any registered client shows the owner a page, and a person
 * consents for themselves to any scope.
 */
import type { AuthConfig } from '../../../../../src/auth/index.ts'
import { PathPattern } from '../../../../../src/internal.ts'
import { isScopeToken } from '../../../../../src/protocol/scope-token.ts'

/** With `owners` or `scope`, the admin API is served over HTTP. A caller needs all that is configured. */
export interface AdminOptions<Env = unknown> {
  /** The subjects that may use it. `embedded()` needs them, unless `scopesOf` decides who may have the scope. */
  readonly owners?: readonly string[]
  /**
   * The scope that a token needs. Required with `embedded()` and `external()`: no tool needs it, no other scope
   * includes it, and tokens for the endpoint do not have it.
   */
  readonly scope?: string
  /** The path, which is a resource of its own: a token for the endpoint is not accepted. Default `/admin`. */
  readonly path?: string
  /**
   * Deletes what your own code stores about a person, as the last step of `deletePerson`. It may be called
   * again for the same person. `env` has the type that `wrangler types` generates, or that of the parameter.
   */
  readonly onDeletePerson?: (subject: string, env: Env) => unknown
}

export const DEFAULT_ADMIN_PATH = '/admin'

/** @throws {TypeError} for invalid options */
export function checkAdminOptions({ owners, scope, path, onDeletePerson }: AdminOptions): void {
  const isList = Array.isArray(owners) && owners.length > 0
  const isNamed = (owner: unknown) => typeof owner === 'string' && owner !== ''
  if (owners !== undefined && !(isList && owners.every(isNamed))) {
    throw new TypeError('admin.owners must be a list of subjects')
  }
  if (scope !== undefined && !isScopeToken(scope)) {
    throw new TypeError('admin.scope must be a scope')
  }
  if (path !== undefined && owners === undefined && scope === undefined) {
    throw new TypeError('admin must name owners, or a scope, to be served at a path')
  }
  if (onDeletePerson !== undefined && typeof onDeletePerson !== 'function') {
    throw new TypeError('admin.onDeletePerson must be a function of the subject')
  }
}

/** @throws {TypeError} where `auth` would allow no caller, or everyone who signs in */
export function checkAdminCallers(
  { owners, scope }: AdminOptions,
  auth: AuthConfig | undefined,
): void {
  if (auth === undefined) throw new TypeError('admin needs auth: it must know who calls')
  if (auth.allowsAnonymous === true) {
    throw new TypeError('admin cannot be served beside anonymous callers: set anonymous to false')
  }
  // Callers of verifier() and fromContext() have no consent page, and no resources.
  if (scope === undefined && auth.scopes !== undefined) throw new TypeError(scopeMissing(auth))
  if (scope !== undefined && auth.scopeNames?.includes(scope) === false) {
    throw new TypeError(`admin.scope "${scope}" can no token have: add it to embedded({ scopes })`)
  }
  if (owners === undefined && auth.grantsAllScopes === true) {
    throw new TypeError(
      'admin.owners is needed: everyone who signs in can consent to the scope, unless scopesOf decides',
    )
  }
}

function scopeMissing({ type }: AuthConfig): string {
  return `admin needs a scope of its own, so that the consent for another one is never access to it: admin({ owners, scope: 'operate' }) and ${type}({ scopes: { operate: 'Operate the server', … } })`
}

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
