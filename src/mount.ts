/** What the app needs to know where it is mounted in another Hono app. */
import type { Context } from 'hono'
import type { PathPattern } from './transport/endpoint-paths.ts'
import type { WaitUntil } from './transport/entrance.ts'

/** The name of the error of an app that is mounted under a prefix. It reaches the error handler of the outer app. */
export const MOUNT_ERROR = 'MountError'

/**
 * Requires that the app is mounted at the root of its host: its metadata has fixed places there, and it
 * sends its own URLs to clients. Hono does not inform an app of its prefix, so requests are checked.
 *
 * @throws {TypeError} for the path of a request that has the prefix of a mount
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3
 */
export function checkMount(pattern: PathPattern, pathname: string): void {
  if (pattern.hasLengthOf(pathname)) return
  const error = new TypeError(
    `The app of Edgeway is mounted under a prefix: ${pathname} ends with ${pattern.source}. Mount it at the root, app.route('/', edgeway.app), and give the whole path: createEdgeway(server, { path: '…${pattern.source}' })`,
  )
  error.name = MOUNT_ERROR
  throw error
}

/** The execution context of a request. Hono throws where there is none, as in `app.request()`. */
export function executionContextOf(c: Pick<Context, 'executionCtx'>): WaitUntil {
  try {
    return c.executionCtx
  } catch {
    return DETACHED
  }
}

/** Work goes on without a platform that waits for it. A failure is reported where it happens. */
const DETACHED: WaitUntil = {
  waitUntil: (promise) => void promise.catch(() => undefined),
}
