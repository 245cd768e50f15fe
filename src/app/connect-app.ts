/** Connects what was built of an app: its routes, its `fetch`, and the class of its objects. */
import { createObjectsClass } from '../../durable-objects/objects-class.ts'
import { toolsListedTo } from '../dispatch/dispatcher.ts'
import type { Route } from '../feature/route.ts'
import type { ServerObjects } from '../ports/objects.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { Entrance } from '../transport/entrance.ts'
import { announceApp } from './announce-app.ts'
import type { BuiltApp } from './build-app.ts'
import type { CollectedApp } from './collect-app.ts'
import type { Edgeway } from './edgeway.ts'
import { authRoutes, createNotFound, endpointRoutes } from './endpoint-routes.ts'
import type { InstalledParts } from './install-parts.ts'
import { DEFAULT_PATH } from './paths.ts'
import { createRecordElsewhere, type ObserveOf } from './record-elsewhere.ts'
import { createRouter } from './router.ts'

/** One that declares nothing, and one with tasks, which alone has tools that run as a task only. */
const CLIENTS = [
  { era: 'modern', capabilities: {} },
  { era: 'modern', capabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
] as const

export function connectApp(
  collected: CollectedApp,
  parts: InstalledParts,
  built: BuiltApp,
): Edgeway {
  const { checkHost, noteHost, auth } = collected
  const { paths, recorder, audience, objectsIn } = built
  const entrance = new Entrance(built.entranceOptions)
  const router = createAppRouter(collected, parts, built, entrance)
  const objects: ServerObjects = {
    audience,
    parts: { ...parts.ofKinds, ...auth?.parts },
    objectsIn,
  }
  announce(collected, parts, built, Object.keys(objects.parts))
  const fetch = (request: Request, env: object, ctx: ExecutionContext) => {
    // The endpoint bypasses the router, which costs as much as all checks of the entrance together.
    const host = checkHost(request.url)
    noteHost(host)
    const endpoint = host.path === undefined ? undefined : paths.endpointPaths.find(host.path)
    if (endpoint === undefined) return router.fetch(request, env, ctx)
    const recording = recorder?.begin(request, env, (work) => ctx.waitUntil(work))
    return entrance.serve(request, env, ctx, endpoint, host, recording)
  }
  const Objects = createObjectsClass([objects], parts.objects?.base)
  return parts.guard({ ...{ fetch, app: router, Objects }, ...parts.api }) as Edgeway
}

function createAppRouter(
  { path, checkHost, telemetry: { report } }: CollectedApp,
  parts: InstalledParts,
  { paths, gate, recorder }: BuiltApp,
  entrance: Entrance,
) {
  const observeOf: ObserveOf = new WeakMap()
  const routes: readonly Route[] = [
    ...endpointRoutes({ paths, entrance, checkHost, recorder }),
    ...(gate === undefined ? [] : authRoutes(gate, observeOf)),
    ...parts.routes(),
  ]
  return createRouter({
    routes,
    notFound: createNotFound([path].flat()[0] ?? DEFAULT_PATH),
    refuseHost: (request) => entrance.refuseHost(request),
    middleware:
      recorder && createRecordElsewhere(recorder, { paths, gate, routes, checkHost, observeOf }),
    report,
  })
}

function announce(
  { auth, naming, limits, options }: CollectedApp,
  parts: InstalledParts,
  { paths, gate, audience, definitions: { definition, definitionsIn } }: BuiltApp,
  kinds: readonly string[],
): void {
  announceApp({
    ...parts.announced,
    required: [
      ...parts.all.flatMap(({ requires = [] }) => requires),
      naming.sessionClass ?? [],
    ].flat(),
    audience,
    jurisdiction: options.jurisdiction,
    paths: naming.servedPaths ?? [
      ...paths.all.map(({ source }) => source),
      ...(gate?.paths ?? []),
      ...(parts.ownResource ? [parts.ownResource.pattern.source] : []),
    ],
    auth,
    definition,
    definitionOf:
      definition === undefined
        ? async (env, caller) => (await definitionsIn(env).of(caller)).definition
        : undefined,
    listedTools: definition && (() => toolsListedTo(CLIENTS, definition, parts.dispatch)),
    keepAliveMs: limits.keepAliveMs,
    kinds,
  })
}
