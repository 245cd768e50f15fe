/** What an object needs of the deployment it belongs to: the definition, its bounds, its services. */
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import type { Services } from '../../src/ports/services.ts'
import type { SessionLimits } from '../../src/ports/sessions.ts'
import type { TelemetryEvent } from '../../src/ports/telemetry.ts'

export interface HostLimits extends SessionLimits {
  readonly handlerTimeoutMs: number
  readonly requestStateTtlMs: number
  readonly streamAfterMs: number
  readonly batchAnswerBytes: number
  readonly writeStallMs: number
}

export interface SessionHost {
  readonly dispatcher: Dispatcher
  readonly limits: HostLimits
  readonly audience: string
  readonly report: (event: TelemetryEvent) => void
  readonly servicesOf: (env: unknown) => Pick<Services, 'sealer' | 'changes'>
}
