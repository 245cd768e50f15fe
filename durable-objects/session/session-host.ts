/** What the deployment passes to the class of its session objects. */
import type { CallLimits } from '../../src/dispatch/call.ts'
import type { SessionLimits } from '../../src/ports/sessions.ts'
import type { RunHost } from '../run/run-host.ts'

export interface HostLimits extends SessionLimits, CallLimits {
  readonly streamAfterMs: number
  readonly batchAnswerBytes: number
  readonly writeStallMs: number
}

export type SessionHost = RunHost<HostLimits>
