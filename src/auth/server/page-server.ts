/** The pages of a server that issues no tokens: a person signs in with a login, for what a feature shows them. */
import type { Route, Handle as RouteHandle } from '../../feature/route.ts'
import type { RateLimits } from '../../ports/rate-limits.ts'
import { NO_REVOCATIONS } from '../../ports/revocations.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { Throttle } from '../../ports/throttle.ts'
import { LOGIN_PARTS, type RedirectSite } from '../login/login.ts'
import { handleLogin, handleLogout } from './account-page.ts'
import { resolveAuthLimits } from './auth-limits.ts'
import {
  type AccountSection,
  ENDPOINT,
  type Handle,
  type PageServer,
} from './authorization-server.ts'
import { page, serve } from './serve-endpoint.ts'

export interface PagePlace {
  readonly issuer: string
  readonly sealer: Sealer
  readonly rateLimits: RateLimits | undefined
  readonly env: unknown
}

export interface PageServerOptions {
  readonly login: RedirectSite
  readonly serverName: () => string
  readonly report: TelemetrySink
  /** Where a request is served. @throws {Error} when a binding is missing */
  readonly placeOf: (request: Request, env: unknown) => PagePlace
  readonly section: AccountSection<PageServer>
}

/** Nothing is stored of a person who signs in here: a sign-in ends with its cookie. */
const NO_ACCOUNT = {
  hasSignInEnded: async () => false,
  endSignIn: async () => undefined,
}

/** Keys are entered by signed-in people, whose networks the class `sign-in` of limits counts. */
const NO_THROTTLE: Throttle = { guess: async () => ({ allowed: true, retryAfterSeconds: 0 }) }

/**
 * The routes of pages and forms, with those of the sign-in.
 *
 * @param pages by path, and `forms` with the same paths or others
 */
export function createPageRoutes(
  options: PageServerOptions,
  pages: ReadonlyMap<string, Handle<PageServer>>,
  forms: ReadonlyMap<string, Handle<PageServer>>,
): readonly Route[] {
  const { login } = options
  const callback: Handle<PageServer> = (server, request) =>
    login[LOGIN_PARTS].finish(login, server, request)
  const get = new Map([...pages, [ENDPOINT.callback, callback]])
  const post = new Map([...forms, [ENDPOINT.login, handleLogin], [ENDPOINT.logout, handleLogout]])
  const handle: RouteHandle = (request, env) => {
    const { pathname } = new URL(request.url)
    const form = request.method === 'POST' ? post.get(pathname) : undefined
    const found = form ?? get.get(pathname) ?? post.get(pathname)
    if (found === undefined) return undefined
    const isForm = form !== undefined || !get.has(pathname)
    return serve(page(isForm ? 'POST' : 'GET', found), request, serverAt(options, request, env))
  }
  return [...new Set([...get.keys(), ...post.keys()])].map((path) => ({ path, handle }))
}

/** What pages need of an authorization server. It has no tokens, so no endpoint of them is served with it. */
function serverAt(
  { login, serverName, report, placeOf, section }: PageServerOptions,
  request: Request,
  env: unknown,
): PageServer {
  return {
    ...placeOf(request, env),
    ...{ login, report },
    serverName: serverName(),
    limits: resolveAuthLimits({}),
    accounts: { of: () => NO_ACCOUNT, throttle: NO_THROTTLE },
    clients: { find: async () => undefined },
    signingKeys: { revocations: async () => NO_REVOCATIONS },
    admission: undefined,
    isDevelopment: () => false,
    parts: { accountSections: [section] },
  }
}
