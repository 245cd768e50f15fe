/** What the deployment passes to the class of its session objects, or of its task objects. */
import type { CallLimits } from '../../src/dispatch/call.ts'
import type { CodecOf } from '../../src/dispatch/codecs.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { Authenticator } from '../../src/ports/authenticator.ts'

export interface RunHost<Limits extends CallLimits = CallLimits> {
  /** The server whose objects these are, from `serverText`. */
  readonly server: string
  readonly codecOf: CodecOf
  readonly limits: Limits
  readonly deploymentOf: (env: unknown) => DefinedDeployment
  /** Undefined on a server without authorization. */
  readonly renewCaller: Authenticator['renewCaller'] | undefined
  /** Whether a server with authorization serves anonymous callers too. */
  readonly allowsAnonymous: boolean
}

/** What says which server a class belongs to, and who calls it. */
export interface ServerHost extends Pick<RunHost, 'server' | 'allowsAnonymous'> {
  /** Undefined on a server without authorization. */
  readonly renewCaller: unknown
}

/** Whether every caller of the server has a token. */
export function requiresCaller({ renewCaller, allowsAnonymous }: ServerHost): boolean {
  return renewCaller !== undefined && !allowsAnonymous
}
