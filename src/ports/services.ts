/** The services behind the bindings of a Worker. Each is created on first use; undefined when its binding is missing. */
import type { ChangeBus } from './change-bus.ts'
import type { EventObjects } from './events.ts'
import type { FileStore } from './files.ts'
import type { KeyringControl } from './keyring-control.ts'
import type { RateLimits } from './rate-limits.ts'
import type { Sealer } from './sealer.ts'
import type { Sessions } from './sessions.ts'
import type { StateStore } from './state-store.ts'
import type { Tasks } from './tasks.ts'
import type { TimelineStore } from './timeline.ts'
import type { TrafficStore } from './traffic.ts'

export interface Services {
  readonly sealer: () => Sealer | undefined
  readonly keyring: () => KeyringControl | undefined
  readonly changes: () => ChangeBus | undefined
  readonly sessions: () => Sessions | undefined
  readonly state: () => StateStore | undefined
  readonly files: () => FileStore | undefined
  readonly tasks: () => Tasks | undefined
  readonly events: () => EventObjects | undefined
  readonly timeline: () => TimelineStore | undefined
  readonly traffic: () => TrafficStore | undefined
  /** Undefined when the app has lifted all limits. */
  readonly rateLimits: () => RateLimits | undefined
}
