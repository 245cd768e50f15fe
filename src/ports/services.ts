/** The services behind the bindings of a Worker. Each is created on first use; undefined when its binding is missing. */
import type { ChangeBus } from './change-bus.ts'
import type { FileStore } from './files.ts'
import type { KeyringControl } from './keyring-control.ts'
import type { RateLimits } from './rate-limits.ts'
import type { Sealer } from './sealer.ts'
import type { ServiceKey } from './service-key.ts'
import type { Sessions } from './sessions.ts'
import type { StateStore } from './state-store.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { Tasks } from './tasks.ts'

export interface Services {
  readonly sealer: () => Sealer | undefined
  readonly keyring: () => KeyringControl | undefined
  readonly changes: () => ChangeBus | undefined
  readonly sessions: () => Sessions | undefined
  readonly state: () => StateStore | undefined
  readonly files: () => FileStore | undefined
  readonly tasks: () => Tasks | undefined
  /** Undefined in an app without events: it has no subscriptions. */
  readonly subscriptions: () => Subscriptions | undefined
  /** Undefined when the app has lifted all limits. */
  readonly rateLimits: () => RateLimits | undefined
  /** A service that the core does not know; undefined where no feature of the app brings it, too. */
  readonly of: <Port extends object>(key: ServiceKey<Port>) => Port | undefined
}
