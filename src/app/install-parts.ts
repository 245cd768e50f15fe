/** The parts of all features of an app, merged for each extension point of the core. */

import { createExtensions } from '../dispatch/create-extensions.ts'
import type { MethodRow } from '../dispatch/extensions.ts'
import { CORE_METHODS } from '../dispatch/methods/core-methods.ts'
import type { AppContext, FeatureParts } from '../feature/feature.ts'
import { installFeatures } from '../feature/install-features.ts'
import type { Route } from '../feature/route.ts'
import type { Kind } from '../ports/object-kinds.ts'
import type { PartSource } from '../ports/objects.ts'
import type { StreamMethod, TransportExtensions, TransportParts } from '../transport/extensions.ts'
import { BROUGHT_BY } from './brought-by.ts'

const ERAS = ['modern', 'session'] as const

export type InstalledParts = ReturnType<typeof installParts>

/**
 * @param needed by the value of `auth`
 * @throws {TypeError} for values that cannot be installed together
 */
export function installParts(
  needed: readonly unknown[],
  passed: readonly unknown[],
  app: AppContext,
) {
  const byName = installFeatures(passed, needed, app)
  // A condition has left out a feature, so what it brings is optional: the author's code tests for it.
  const isConditional = passed.some((value) => value === false || value == null)
  const all = [...byName.values()]
  checkClaims(byName)
  const transports = all.flatMap(({ transport = [] }) => transport)
  // At most one feature brings each of them.
  const {
    sessions,
    listenedTasks,
    adoptQuery,
    limits,
    reservedValue,
    paths: morePaths,
  }: TransportParts = Object.assign({}, ...transports)
  return {
    byName,
    all,
    dispatch: createExtensions(
      all.flatMap(({ dispatch = [] }) => dispatch),
      BROUGHT_BY.context,
    ),
    transport: {
      streams: merged<StreamMethod>(transports.map(({ streams }) => streams)),
      sessions,
      listenedTasks,
      adoptQuery,
      limits,
      sessionsOnly: transports.some((one) => one.sessionsOnly),
      absentMethods: BROUGHT_BY.methods,
    } satisfies TransportExtensions,
    reservedValue,
    morePaths,
    readers: all.flatMap(({ reader = [] }) => reader),
    ownResource: all.find(({ ownResource }) => ownResource !== undefined)?.ownResource,
    objects: byName.get('objects')?.objects,
    ofKinds: merged<PartSource>(all.map(({ parts }) => parts)) as Readonly<
      Partial<Record<Kind, PartSource>>
    >,
    api: merged<(env: unknown) => unknown>(all.map(({ api }) => api)),
    extensions: all.flatMap(({ extensions = [] }) => extensions),
    announced: merged<unknown>(all.map(({ announced }) => announced)),
    /** Those that give way to routes of the author are the last ones. */
    routes: (): readonly Route[] => {
      const owned = [...byName].flatMap(([name, { routes }]) =>
        (routes?.() ?? []).map((route) => ({ name, route })),
      )
      refuseSecond(owned.map(({ name, route }) => [name, `the path ${route.path}`]))
      return owned
        .map(({ route }) => route)
        .toSorted((a, b) => Number(a.givesWay ?? false) - Number(b.givesWay ?? false))
    },
    /** Makes reading the member of an absent feature throw, in JavaScript, where no compiler finds it. */
    guard: (app: object) => (isConditional ? app : refuseAbsent(app)),
  }
}

function merged<Member>(parts: readonly (object | undefined)[]): Readonly<Record<string, Member>> {
  return Object.assign({}, ...parts)
}

/** Members that are not enumerable, so that a copy of the app does not read them. */
function refuseAbsent(app: object): object {
  for (const [name, value] of Object.entries(BROUGHT_BY.api)) {
    if (Object.hasOwn(app, name)) continue
    Object.defineProperty(app, name, {
      get() {
        throw new TypeError(`edgeway.${name} needs features: [${value}()]`)
      },
    })
  }
  return app
}

/** @throws {TypeError} for a binding, a method, or a member of the app or the context that two features bring */
function checkClaims(byName: ReadonlyMap<string, FeatureParts>): void {
  refuseSecond([
    ...CORE_METHODS.flatMap(claimsOf).map((claim) => ['createEdgeway', claim] as const),
    ...[...byName].flatMap(([name, { requires = [], api = {}, dispatch = {} }]) =>
      [
        ...requires.map(({ binding }) => `the binding ${binding}`),
        ...Object.keys(api).map((key) => `edgeway.${key}`),
        ...Object.keys(dispatch.context ?? {}).map((key) => `ctx.${key}`),
        ...(dispatch.methods ?? []).flatMap(claimsOf),
      ].map((claim) => [name, claim] as const),
    ),
  ])
}

const claimsOf = ({ method, era }: MethodRow): readonly string[] =>
  (era === undefined ? ERAS : [era]).map((each) => `${method} of the ${each} era`)

/** @throws {TypeError} that names both features */
function refuseSecond(claims: readonly (readonly [feature: string, claim: string])[]): void {
  const owners = new Map<string, string>()
  for (const [feature, claim] of claims) {
    const owner = owners.get(claim)
    if (owner !== undefined) {
      throw new TypeError(`features: ${owner}() and ${feature}() both bring ${claim}`)
    }
    owners.set(claim, feature)
  }
}
