/** The paths of the inspector. Each request is checked for its origin and its person. */

import type { WaitUntil } from '../../../../src/index.ts'
import {
  type AppContext,
  type AuthGate,
  drain,
  EVENT_CATALOG,
  type Handle,
  refusalOfExcess,
} from '../../../../src/internal.ts'
import { REVISIONS } from '../../../../src/protocol/revisions.ts'
import type { PersonSources } from '../admin/control/person-index.ts'
import type { TrafficStore } from '../objects/traffic/port.ts'
import { TRAFFIC_STORE } from '../objects/traffic/port.ts'
import type { TimelineControl } from '../timeline/timeline-control.ts'
import { findViewer, isReachable, refuseOtherSites, type Viewer } from './access.ts'
import { describeState, MAX_SUBJECT_LENGTH } from './describe-state.ts'
import { INSPECTOR_CSP, INSPECTOR_HTML } from './generated/page.ts'
import { describeEvents, emitByHand } from './inspect-events.ts'
import type { InspectedServer } from './inspected-server.ts'
import type { InspectorOptions } from './inspector.ts'
import { json, PRIVATE_HEADERS, problem } from './problem.ts'
import { readStoredTraffic, serveTraffic } from './traffic-stream.ts'
import { viewChanges } from './view-changes.ts'
import { viewFrame } from './view-frame.ts'

export const INSPECTOR_PATH = '/inspect'

/** What a path needs of a request that may use it. */
interface Visit {
  readonly request: Request
  readonly env: unknown
  readonly ctx: WaitUntil
  readonly viewer: Viewer
}

type FindViewer = (
  request: Request,
  env: unknown,
  ctx: WaitUntil,
) => Promise<Viewer | 'hidden' | undefined>

type Serve = (visit: Visit) => Response | Promise<Response>

const METHODS = 'GET, HEAD'

/** In development alone. */
const EMIT_PATH = `${INSPECTOR_PATH}/emit`
const VIEW_PATH = '/view'
const CHANGES_PATH = '/view-changes'

export function createInspectorRoutes(
  app: AppContext,
  timelineIn: (env: unknown) => TimelineControl,
  { owners, bodies }: Required<InspectorOptions>,
): Handle {
  const { gate, servicesOf, checkHost, origins } = app
  const catalogOf = () => EVENT_CATALOG.of(app.extensions)[0]
  const rules = { owners, gate, path: app.singlePaths[0] }

  const viewerOf: FindViewer = async (request, env, ctx) =>
    origins.isDevelopment(request, env)
      ? { subject: undefined }
      : findViewer(rules, request, env, ctx)

  const routes = createRoutes(app, timelineIn, viewerOf, bodies)

  const emitOne = async (request: Request, env: unknown): Promise<Response> => {
    const refused = refuseOtherSites(request, checkHost(request.url), false)
    if (refused === undefined && request.method === 'POST') {
      return emitByHand(catalogOf(), request, env, app.report)
    }
    await drain(request)
    return refused ?? problem(405, 'Use POST', { allow: 'POST' })
  }

  return async (request, env, ctx) => {
    const { pathname } = new URL(request.url)
    if (pathname !== INSPECTOR_PATH && !pathname.startsWith(`${INSPECTOR_PATH}/`)) return undefined
    const path = pathname.slice(INSPECTOR_PATH.length)
    const inDevelopment = origins.isDevelopment(request, env)
    const isForAuthors = path === VIEW_PATH || path === CHANGES_PATH
    const serve = isForAuthors && !inDevelopment ? undefined : routes[path]
    // An event by hand is one for everyone: not even an owner emits it in production.
    const emits = inDevelopment && pathname === EMIT_PATH
    if (emits) return emitOne(request, env)
    if (serve === undefined || !(inDevelopment || isReachable(rules))) return undefined
    await drain(request)
    const refused = refuseOtherSites(request, checkHost(request.url), serve === page)
    if (refused !== undefined) return refused
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return problem(405, `Use ${METHODS}`, { allow: METHODS })
    }
    // A program may guess cookies.
    const { rateLimits } = servicesOf(env)
    const excess = inDevelopment ? undefined : await refusalOfExcess({ rateLimits, request })
    if (excess !== undefined) return problem(429, excess.message, { ...excess.headers })
    const viewer = await viewerOf(request, env, ctx)
    if (viewer === 'hidden') return undefined
    if (viewer === undefined)
      return serve === page ? signInFirst(gate) : problem(401, NOT_SIGNED_IN)
    const response = await serve({ request, env, ctx, viewer })
    return request.method === 'HEAD' ? new Response(null, response) : response
  }
}

/** What is behind each path, after {@link INSPECTOR_PATH}. */
function createRoutes(
  app: AppContext,
  timelineIn: (env: unknown) => TimelineControl,
  viewerOf: FindViewer,
  bodies: boolean,
): Readonly<Record<string, Serve>> {
  const { gate, limits, servicesOf } = app
  const ofSubject =
    (describe: (sources: PersonSources, subject: string | undefined) => Promise<object>): Serve =>
    async ({ request, env, viewer }) => {
      const subject = subjectOf(request, viewer)
      if (subject instanceof Response) return subject
      const sources = { services: servicesOf(env), access: gate?.access, env }
      return json(await describe(sources, subject))
    }
  // The traffic and the timeline are in objects of one binding.
  const stored =
    (serve: (visit: Visit, store: TrafficStore) => Response | Promise<Response>): Serve =>
    (visit) => {
      const store = servicesOf(visit.env).of(TRAFFIC_STORE)
      return store === undefined ? problem(503, MISSING_BINDING) : serve(visit, store)
    }
  return {
    '': page,
    '/': page,
    '/callback': page,
    [VIEW_PATH]: ({ request }) => viewFrame(request),
    [CHANGES_PATH]: ({ request, env }) => viewChanges(request, env),
    '/config.json': (visit) => json(describeServer(app, visit, bodies)),
    '/state.json': ofSubject(describeState),
    '/events.json': ofSubject((sources, subject) =>
      describeEvents(EVENT_CATALOG.of(app.extensions)[0], sources, subject),
    ),
    '/timeline': stored(async ({ env }) => {
      const headers = { ...PRIVATE_HEADERS, 'content-type': 'text/plain; charset=utf-8' }
      return new Response(await timelineIn(env).text(), { headers })
    }),
    '/timeline.json': stored(async ({ env }) =>
      json({ connections: await timelineIn(env).connections() }),
    ),
    '/traffic.json': stored(({ request, viewer: { subject } }, store) =>
      readStoredTraffic(request, store, subject),
    ),
    '/traffic': stored(({ request, env, ctx, viewer: { subject } }, store) => {
      const isStillAllowed = async () => {
        const viewer = await viewerOf(request, env, ctx)
        return typeof viewer === 'object' && viewer.subject === subject
      }
      return serveTraffic(request, ctx, { store, limits, subject, isStillAllowed })
    }),
  }
}

/** The response for a subject that is none. */
function subjectOf(request: Request, viewer: Viewer): string | undefined | Response {
  const subject = new URL(request.url).searchParams.get('subject') ?? viewer.subject
  return subject === '' || (subject?.length ?? 0) > MAX_SUBJECT_LENGTH
    ? problem(400, `subject must have 1 to ${MAX_SUBJECT_LENGTH} characters`)
    : subject
}

const NOT_SIGNED_IN = 'Sign in to use the inspector'

/** Without a page of its own, the sign-in is the author's. */
function signInFirst(gate: AuthGate | undefined): Response {
  if (gate?.signIn === undefined) return problem(401, NOT_SIGNED_IN)
  const headers = { ...PRIVATE_HEADERS, location: gate.signIn.path }
  return new Response(null, { status: 303, headers })
}

const MISSING_BINDING =
  'What the inspector shows is stored in objects, and the binding MCP_OBJECTS is missing'

function page(): Response {
  return new Response(INSPECTOR_HTML, {
    headers: {
      ...PRIVATE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': INSPECTOR_CSP,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    },
  })
}

/** `GET /inspect/config.json`: what the page needs to know of the server. */
function describeServer(
  { info, gate, origins, singlePaths, extensions }: AppContext,
  { request, env, viewer: { subject } }: Visit,
  bodies: boolean,
): InspectedServer {
  const origin = origins.ofRequest(request, env)
  return {
    serverName: info.title ?? info.name,
    version: info.version,
    endpoints: singlePaths.map((path) => `${origin}${path}`),
    development: subject === undefined,
    authorization: gate !== undefined,
    subject: subject ?? null,
    bodies: subject === undefined || bodies ? 'all' : 'own',
    events: EVENT_CATALOG.of(extensions).length > 0,
    revisions: REVISIONS.map(({ id }) => id),
  }
}
