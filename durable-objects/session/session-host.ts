/** What the deployment passes to the class of its session objects. */
import type { CallLimits } from '../../src/dispatch/call.ts'
import type { CodecOf } from '../../src/dispatch/codecs.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { Authenticator } from '../../src/ports/authenticator.ts'
import type { SessionLimits } from '../../src/ports/sessions.ts'

export interface HostLimits extends SessionLimits, CallLimits {
  readonly streamAfterMs: number
  readonly batchAnswerBytes: number
  readonly writeStallMs: number
}

export interface SessionHost {
  /** The server whose sessions these are, from `serverText`. */
  readonly server: string
  readonly codecOf: CodecOf
  readonly limits: HostLimits
  readonly deploymentOf: (env: unknown) => DefinedDeployment
  /** Undefined on a server without authorization. */
  readonly renewCaller: Authenticator['renewCaller'] | undefined
  /** Whether a server with authorization serves anonymous callers too. */
  readonly allowsAnonymous: boolean
}
