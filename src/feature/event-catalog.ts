/** What `events()` tells another feature of the app, such as the inspector. */
import type { EventDescriptor } from '../protocol/events.ts'
import type { EmitOptions, EmittedEvent } from '../server/event.ts'
import { ExtensionPoint } from './extension-point.ts'

export interface EventCatalog {
  /** In the order of the author, for every caller. */
  readonly types: readonly EventDescriptor[]
  /** The digest of the principal of anonymous callers; undefined where they have none. */
  anonymous(): Promise<string | undefined>
  /** @throws {OperationError} and nothing is stored */
  emit(env: unknown, type: string, data: unknown, options: EmitOptions): Promise<EmittedEvent>
}

export const EVENT_CATALOG = new ExtensionPoint<EventCatalog>()
