/** The services of a Worker: each port over the binding of its feature. */
import type { FeatureParts, ServiceFactories } from '../feature/feature.ts'
import { perEnvironment } from '../platform/per-object.ts'
import type { ServiceKey } from '../ports/service-key.ts'
import type { Services } from '../ports/services.ts'

const NAMES = [
  'sealer',
  'keyring',
  'changes',
  'sessions',
  'state',
  'files',
  'tasks',
  'subscriptions',
  'rateLimits',
] as const satisfies readonly Exclude<keyof Services, 'of'>[]

/**
 * Returns the services of an environment. An isolate creates each service once per environment,
 * because the services cache keys and count listeners and requests.
 */
export function createServices(parts: readonly FeatureParts[]): (env: unknown) => Services {
  const merged: ServiceFactories = Object.assign({}, ...parts.map(({ services }) => services))
  const keyed = parts.flatMap(({ keyedServices = [] }) => keyedServices)
  return perEnvironment((bindings) => {
    for (const { checkBindings } of parts) checkBindings?.(bindings)
    const services = NAMES.map((name) => [name, once<unknown>(() => merged[name]?.(bindings))])
    const others = new Map(keyed.map(({ key, create }) => [key, once(() => create(bindings))]))
    // `with` is the only way to a service of this key.
    const of = <Port extends object>(key: ServiceKey<Port>) =>
      others.get(key)?.() as Port | undefined
    return { ...Object.fromEntries(services), of } as unknown as Services
  })
}

/** Creates a service on first use. An error is thrown again on the next use. */
function once<T>(create: () => T | undefined): () => T | undefined {
  let created: T | undefined
  return () => {
    created ??= create()
    return created
  }
}
