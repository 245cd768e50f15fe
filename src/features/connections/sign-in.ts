/** `signInWith()`: how people sign in at the pages of connections on a server that issues no tokens. */
import type { RedirectSite } from '../../auth/login/login.ts'
import {
  type AccountSection,
  ENDPOINT,
  type Handle,
  type PageServer,
} from '../../auth/server/authorization-server.ts'
import { createPageRoutes } from '../../auth/server/page-server.ts'
import { bound } from '../../feature/binding.ts'
import type { AppContext } from '../../feature/feature.ts'
import type { Route } from '../../feature/route.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import { createAccountsPage } from './pages/accounts-page.ts'

export const SIGN_IN_ROUTES: unique symbol = Symbol('edgeway.sign-in-routes')

export interface SignInOptions {
  /** Its subjects must be those of `subjectOf`: the option `subject` of `oidc()` decides about them. */
  readonly login: RedirectSite
  /** The subject of the person of a caller. Default: that of the token. */
  readonly subjectOf?: (caller: AuthInfo) => string
}

/** The value of {@link signInWith}. */
export interface ConnectionsSignIn extends Pick<SignInOptions, 'subjectOf'> {
  /** @internal */
  readonly [SIGN_IN_ROUTES]: (
    app: AppContext,
    section: AccountSection<PageServer>,
    pages: ReadonlyMap<string, Handle<PageServer>>,
    forms: ReadonlyMap<string, Handle<PageServer>>,
  ) => readonly Route[]
}

/**
 * For the option `signIn` of `connections()`. Register the redirect URI `<origin>/authorize/callback` at the login.
 *
 * @throws {TypeError} for anything but a login at another site
 */
export function signInWith({ login, subjectOf }: SignInOptions): ConnectionsSignIn {
  if (login?.kind !== 'redirect') {
    throw new TypeError('signInWith() needs { login: oidc({ … }) } or another login at a site')
  }
  return {
    ...(subjectOf !== undefined && { subjectOf }),
    [SIGN_IN_ROUTES]: (app, section, pages, forms) => {
      const options = {
        ...{ login, section, report: app.report },
        serverName: () => app.info.title ?? app.info.name,
        placeOf: (request: Request, env: unknown) => {
          const services = app.servicesOf(env)
          return {
            issuer: app.origins.ofRequest(request, env),
            sealer: bound(services.sealer(), 'connections() needs the keyring'),
            rateLimits: services.rateLimits(),
            env,
          }
        },
      }
      const all = new Map([...pages, [ENDPOINT.account, createAccountsPage(section)]])
      return createPageRoutes(options, all, forms)
    },
  }
}
