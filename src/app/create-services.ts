/** The services of a Worker: each port over the binding of its feature. */
import type { ServiceFactories } from '../feature/feature.ts'
import type { Services } from '../ports/services.ts'

const NAMES = [
  'sealer',
  'keyring',
  'changes',
  'sessions',
  'state',
  'files',
  'tasks',
  'timeline',
  'traffic',
  'rateLimits',
] as const satisfies readonly (keyof Services)[]

const NO_ENVIRONMENT = {}

/**
 * Returns the services of an environment. An isolate creates each service once per environment,
 * because the services cache keys and count listeners and requests.
 */
export function createServices(factories: readonly ServiceFactories[]): (env: unknown) => Services {
  const merged: ServiceFactories = Object.assign({}, ...factories)
  const created = new WeakMap<object, Services>()
  return (env) => {
    const key = typeof env === 'object' && env !== null ? env : NO_ENVIRONMENT
    const known = created.get(key)
    if (known !== undefined) return known
    const bindings = key as Readonly<Record<string, unknown>>
    const services = Object.fromEntries(
      NAMES.map((name) => [name, once<unknown>(() => merged[name]?.(bindings))]),
    ) as unknown as Services
    created.set(key, services)
    return services
  }
}

/** Creates a service on first use. An error is thrown again on the next use. */
function once<T>(create: () => T | undefined): () => T | undefined {
  let created: T | undefined
  return () => {
    created ??= create()
    return created
  }
}
