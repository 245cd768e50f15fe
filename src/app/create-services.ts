/** The services of a Worker: each port over the binding of its feature. */
import type { ServiceFactories } from '../feature/feature.ts'
import { perEnvironment } from '../platform/per-object.ts'
import type { Services } from '../ports/services.ts'

const NAMES = [
  'sealer',
  'keyring',
  'changes',
  'sessions',
  'state',
  'files',
  'tasks',
  'events',
  'timeline',
  'traffic',
  'rateLimits',
] as const satisfies readonly (keyof Services)[]

/**
 * Returns the services of an environment. An isolate creates each service once per environment,
 * because the services cache keys and count listeners and requests.
 *
 * @param onEnvironment called once for each environment
 */
export function createServices(
  factories: readonly ServiceFactories[],
  onEnvironment: (bindings: Readonly<Record<string, unknown>>) => void,
): (env: unknown) => Services {
  const merged: ServiceFactories = Object.assign({}, ...factories)
  return perEnvironment((bindings) => {
    onEnvironment(bindings)
    const services = NAMES.map((name) => [name, once<unknown>(() => merged[name]?.(bindings))])
    return Object.fromEntries(services) as unknown as Services
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
