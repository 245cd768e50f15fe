/** A route beside the endpoint: one row of the table of the app. */
import type { WaitUntil } from '../transport/entrance.ts'

/** Serves the requests at one path. Undefined: the path is not served, so the next match is used. */
export type Handle = (
  request: Request,
  env: unknown,
  ctx: WaitUntil,
) => Response | undefined | Promise<Response | undefined>

/** One row of the table. */
export interface Route {
  /** A path of Hono, such as `/files/:secret`. */
  readonly path: string
  readonly handle: Handle
  /** What records of a request have instead of the path, whose last segment is a secret. Absent: they have no path. */
  readonly recordedAs?: string
  /** Whether a route that the author adds later is used instead, which would never be reached otherwise. */
  readonly givesWay?: boolean
  /**
   * Called instead of `handle` where a later route has the same path: that of the author, or that of another server in
   * an app in which both are mounted. Absent: the first route is used.
   */
  readonly leave?: (request: Request) => void
  /**
   * Whether the secret in the path is one of this server. Otherwise the same path of another server is used, in an app in
   * which both are mounted. Absent: every request at the path is one of this server.
   */
  readonly isOwn?: (request: Request, env: unknown) => Promise<boolean>
}
