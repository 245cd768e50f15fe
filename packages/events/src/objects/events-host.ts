/** What the class of event objects gets of its app. The author's functions run in these objects. */
import type { Deployment } from '../../../../src/internal.ts'
import type { CallerRecord } from '../../../../src/ports/authenticator.ts'
import type { LimitDecision } from '../../../../src/ports/rate-limits.ts'
import type { AuthInfo } from '../../../../src/protocol/auth-info.ts'
import type { CompiledEventType } from '../compiled-event-type.ts'
import type { EventSettings } from './event-settings.ts'

/** Its members are read when an object is created: the app is complete then. */
export interface EventsHost {
  readonly types: ReadonlyMap<string, CompiledEventType>
  readonly settings: EventSettings
  readonly deploymentOf: (
    env: unknown,
  ) => Pick<Deployment, 'audience' | 'services' | 'report' | 'recorder'>
  /** Undefined on a server without authorization. */
  readonly renewCaller:
    | ((record: CallerRecord, env: unknown) => Promise<AuthInfo | undefined>)
    | undefined
  /** Counts a challenge of a callback at this host. */
  readonly limitOfCallback: (env: unknown, host: string) => LimitDecision
  /** The configured origins of the server, where no callback may be. */
  readonly ownOrigins: (env: unknown) => readonly string[]
  /** Whether a server with authorization serves anonymous callers too. */
  readonly allowsAnonymous: boolean
}

/** What one object has. */
export interface EventsObjectContext {
  readonly state: DurableObjectState
  readonly env: unknown
  readonly host: EventsHost
  readonly now: () => number
}
