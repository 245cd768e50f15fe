/** Builds the part of a call that is the same for every request, once per environment. */
import type { CallServices, Deployment } from './call.ts'
import type { Definitions } from './definitions.ts'

export interface DeploymentOptions extends Omit<Deployment, 'env' | 'services'> {
  /** Returns the same object for the same environment. */
  readonly servicesOf: (env: unknown) => CallServices
  readonly definitionsIn: (env: unknown) => Definitions
}

/** A deployment with the definitions of its environment. */
export interface DefinedDeployment extends Deployment {
  readonly definitions: Definitions
}

/** An isolate has one environment; tests have several. */
export function createDeployments({
  servicesOf,
  definitionsIn,
  ...shared
}: DeploymentOptions): (env: unknown) => DefinedDeployment {
  const known = new WeakMap<CallServices, DefinedDeployment>()
  return (env) => {
    const services = servicesOf(env)
    const found = known.get(services)
    if (found !== undefined) return found
    shared.recorder?.enter(env)
    const deployment: DefinedDeployment = {
      ...shared,
      env,
      services,
      definitions: definitionsIn(env),
    }
    known.set(services, deployment)
    return deployment
  }
}
