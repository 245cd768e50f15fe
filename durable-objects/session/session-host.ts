/** What the deployment passes to the class of its session objects. */
import type { SessionLimits } from '../../src/ports/session-limits.ts'
import type { RunHost } from '../run/run-host.ts'

export interface HostLimits extends SessionLimits {
  readonly streamAfterMs: number
  readonly writeStallMs: number
}

export type SessionHost = RunHost<HostLimits>
