/** `connections()`: accounts of people at other services, which handlers use by `ctx.connect`. */
import { createConnectionStore } from '../../../durable-objects/connections/connection-store.ts'
import { ConnectionsObject } from '../../../durable-objects/connections/connections-object.ts'
import { AUTH_SETUP, type AuthFeatureSetup } from '../../auth/feature/auth-feature.ts'
import { LOGIN_PARTS, type RedirectSite } from '../../auth/login/login.ts'
import type { Handle, PageServer } from '../../auth/server/authorization-server.ts'
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { bound } from '../../feature/binding.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { resolveLimits } from '../../platform/limits.ts'
import type { Definition } from '../../server/definition.ts'
import { asks } from '../asks/asks.ts'
import {
  accountView,
  hasAccountArgument,
  listOf,
  withoutAccount,
} from './operations/account-argument.ts'
import { connect } from './operations/connect.ts'
import { markAccounts } from './operations/used-accounts.ts'
import { createConsentChoices } from './pages/consent-choices.ts'
import { createForm, createSection, FORM_PATH } from './pages/section.ts'
import { CALLBACK_PATH, Visits } from './pages/visits.ts'
import { type Connection, createService, type Service } from './service.ts'
import { type ConnectionsSignIn, SIGN_IN_ROUTES } from './sign-in.ts'
import { CONNECTIONS, type PersonOf } from './store.ts'
import { CONNECT_PATH } from './visit-seal.ts'

const DEFAULT_OPTIONS = {
  /** Accounts of one person at one service. Default 5. */
  max: 5,
}

export interface ConnectionsOptions extends Partial<Readonly<typeof DEFAULT_OPTIONS>> {
  /** The value of `signInWith()`, with `external()` and `verifier()`, which sign in no person here. */
  readonly signIn?: ConnectionsSignIn
}

export type Connections = Feature<'connections', object, 'connections' | 'asks'>

/** Part of a redirect URI, and of what models read. */
const NAME = /^[a-z][a-z\d-]{0,31}$/

/**
 * Accounts at other services, by the names that `ctx.connect` uses: `connections({ slack: oauth({ … }) })`. Register at each
 * service the redirect URI `<origin>/connect/callback/<name>`. The person who is asked to connect an account signs in at
 * `embedded()`, or with the login of `signIn`.
 *
 * @throws {TypeError} for an invalid option; for the rest from `createEdgeway`
 */
export function connections(
  named: Readonly<Record<string, Connection>>,
  options: ConnectionsOptions = {},
): Connections {
  const { signIn, ...limits } = options
  const { max } = resolveLimits('connections', DEFAULT_OPTIONS, limits)
  checkSignIn(signIn)
  const services = new Map<string, Service>()
  for (const [name, login] of Object.entries(named)) {
    if (!NAME.test(name)) {
      throw new TypeError(
        `connections({ ${name} }): a name is 1 to 32 lower-case letters, digits and hyphens`,
      )
    }
    services.set(name, createService(name, login))
  }
  if (services.size === 0) throw new TypeError('connections() needs at least one connection')
  return createFeature('connections', (app) => createParts(app, services, max, signIn), [asks()])
}

function createParts(
  app: AppContext,
  services: ReadonlyMap<string, Service>,
  max: number,
  signIn: ConnectionsSignIn | undefined,
): FeatureParts {
  checkAuth(app, signIn)
  const { servicesOf } = app
  const host = {
    service: (name: string) => services.get(name),
    maxAccounts: max,
    sealer: (env: unknown) => bound(servicesOf(env).sealer(), 'connections() needs the keyring'),
    report: app.report,
  }
  const options = { services, maxAccounts: max, servicesOf, audience: () => app.audience }
  const visits = new Visits(options)
  const callbacks = [...services.values()].flatMap(({ name, login }) =>
    login.kind === 'redirect' ? [[`${CALLBACK_PATH}/${name}`, callbackOf(login)] as const] : [],
  )
  const accountSection = createSection(options, visits)
  const consentChoices = createConsentChoices(options)
  const pages = new Map<string, Handle<PageServer>>([[CONNECT_PATH, visits.show], ...callbacks])
  const forms = new Map<string, Handle<PageServer>>([
    [CONNECT_PATH, visits.answer],
    [FORM_PATH, createForm(options)],
  ])
  const erase: AuthFeatureSetup['erase'] = async (person, env) => {
    await servicesOf(env).of(CONNECTIONS)?.of(person).erase()
  }
  const personOf: PersonOf = ({ request }, auth) =>
    signIn === undefined
      ? { issuer: auth.issuer, subject: auth.subject }
      : { issuer: request.origin(), subject: signIn.subjectOf?.(auth) ?? auth.subject }
  return {
    parts: { connections: { create: (state, env) => new ConnectionsObject(state, env, host) } },
    keyedServices: [
      CONNECTIONS.with((bindings) => {
        const objects = app.objectsIn(bindings).of<ConnectionsObject>('connections')
        return objects && createConnectionStore(objects)
      }),
    ],
    checkDefinition: (definition) => checkTools(definition, services),
    ...(signIn === undefined
      ? {
          extensions: [
            AUTH_SETUP.with({
              pages,
              forms,
              erase,
              create: () => ({ accountSection, consentChoices }),
            }),
          ],
        }
      : { routes: () => signIn[SIGN_IN_ROUTES](app, accountSection, pages, forms) }),
    dispatch: {
      context: {
        connect:
          (run) =>
          async (name, asked = {}) => {
            const service = services.get(name)
            if (service === undefined) {
              const known = [...services.keys()].join(', ')
              throw new TypeError(`There is no connection "${name}". The app has ${known}`)
            }
            const counter = run.part(createCounter)
            counter.count += 1
            const isSignIn = service.login === app.auth?.login
            return connect(
              run,
              { service, isSignIn, personOf },
              `connect-${name}-${counter.count}`,
              asked,
            )
          },
      },
      tools: { viewOf: accountView },
      callers: {
        ownListOf: (definition, call) =>
          hasAccountArgument(definition) ? listOf(call, personOf).catch(() => '') : undefined,
        argumentsOf: withoutAccount,
        mark: markAccounts,
      },
    },
  }
}

/** `GET /connect/callback/<name>`: the state names this path, so an answer of another service is refused. */
const callbackOf =
  (login: RedirectSite): Handle<PageServer> =>
  (server, request) =>
    login[LOGIN_PARTS].finish(login, server, request)

/** @throws {TypeError} for anything but the value of `signInWith()` */
function checkSignIn(signIn: ConnectionsSignIn | undefined): void {
  if (signIn !== undefined && typeof signIn[SIGN_IN_ROUTES] !== 'function') {
    throw new TypeError('connections({ … }, { signIn }) must be the value of signInWith({ login })')
  }
}

/** @throws {TypeError} for a server whose people cannot sign in, and for one with two ways */
function checkAuth({ auth }: AppContext, signIn: ConnectionsSignIn | undefined): void {
  if (auth?.isOfTest === true || (auth?.type === 'embedded' && signIn === undefined)) return
  if (auth?.type === 'embedded') {
    throw new TypeError(
      'connections({ … }, { signIn }) is for servers without embedded(), whose login signs people in',
    )
  }
  if (auth === undefined || auth.type === 'context' || signIn === undefined) {
    throw new TypeError(
      'connections() needs auth: embedded({ … }), or external() or verifier() with connections({ … }, { signIn: signInWith({ login }) }): the person who is asked must sign in',
    )
  }
}

const createCounter = (_: HandlerRun) => ({ count: 0 })

/** @throws {TypeError} for a tool that names another connection */
function checkTools({ tools }: Definition, services: ReadonlyMap<string, Service>): void {
  for (const { info, connection } of tools.values()) {
    if (connection !== undefined && !services.has(connection)) {
      throw new TypeError(`Tool "${info.name}": connections() has no connection "${connection}"`)
    }
  }
}
