/** What the classes of objects in which handlers run get of their app. */
import type { DefinedDeployment } from '../dispatch/deployment.ts'
import type { AppContext } from './feature.ts'

export interface RunHost<Limits> extends Pick<AppContext, 'codecOf'> {
  /** Those of the feature that brings the class. */
  readonly limits: Limits
  readonly deploymentOf: (env: unknown) => DefinedDeployment
  /** Undefined on a server without authorization. */
  readonly renewCaller: NonNullable<AppContext['gate']>['renewCaller'] | undefined
  /** Whether a server with authorization serves anonymous callers too. */
  readonly allowsAnonymous: boolean
}

/** Its members are read when an object is created: the app is complete then. */
export function runHostOf<Limits>(app: AppContext, limits: Limits): RunHost<Limits> {
  return {
    codecOf: (revision) => app.codecOf(revision),
    limits,
    deploymentOf: (env) => app.deploymentOf(env),
    get renewCaller() {
      return app.gate?.renewCaller
    },
    allowsAnonymous: app.auth?.allowsAnonymous === true,
  }
}
