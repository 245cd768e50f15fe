/** What the deployment passes to the class of its session objects, or of its task objects. */

import type { CodecOf } from '../../src/dispatch/codecs.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import { ConfigurationError } from '../../src/platform/configuration-error.ts'
import type { Authenticator } from '../../src/ports/authenticator.ts'

export interface RunHost<Limits = unknown> {
  readonly codecOf: CodecOf
  readonly limits: Limits
  readonly deploymentOf: (env: unknown) => DefinedDeployment
  /** Undefined on a server without authorization. */
  readonly renewCaller: Authenticator['renewCaller'] | undefined
  /** Whether a server with authorization serves anonymous callers too. */
  readonly allowsAnonymous: boolean
}

/**
 * A server with authorization has no anonymous caller. Another server of the Worker with its audience may have one: such a
 * request must not reach the handlers of this server.
 *
 * @throws {ConfigurationError}
 */
export function refuseImpossibleCaller(
  caller: unknown,
  { renewCaller, allowsAnonymous }: Pick<RunHost, 'renewCaller' | 'allowsAnonymous'>,
): void {
  if (caller !== undefined || renewCaller === undefined || allowsAnonymous) return
  throw new ConfigurationError(
    'Another server of the Worker has the audience of this one, and serves anonymous callers. Give each a name of its own in the option audience of createEdgeway',
  )
}
