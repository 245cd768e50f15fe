/** Builds the part of a call that is the same for every request, once per environment. */
import type { CallServices, Deployment } from './call.ts'
import type { Definitions } from './definitions.ts'

export interface DeploymentOptions extends Omit<Deployment, 'env' | 'services' | 'definitions'> {
  /** Returns the same object for the same environment. */
  readonly servicesOf: (env: unknown) => CallServices
  readonly definitionsIn: (env: unknown) => Definitions
}

/** An isolate has one environment; tests have several. */
export function createDeployments({
  servicesOf,
  definitionsIn,
  ...shared
}: DeploymentOptions): (env: unknown) => Deployment {
  const known = new WeakMap<CallServices, Deployment>()
  return (env) => {
    const services = servicesOf(env)
    const found = known.get(services)
    if (found !== undefined) return found
    const deployment: Deployment = { ...shared, env, services, definitions: definitionsIn(env) }
    known.set(services, deployment)
    return deployment
  }
}
