/** What one subscriber receives of an occurrence: whether it concerns the arguments, and the data for this subscriber. */

import type { EventOccurrence } from '../../../src/protocol/events.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { CompiledEventType } from './compiled-event-type.ts'
import type { EventCaller } from './event-caller.ts'
import type { LoggedOccurrence } from './objects/port.ts'

/** Undefined for an occurrence that does not concern the subscriber. `gap`: events are lost. */
export async function occurrenceFor(
  type: CompiledEventType,
  { caller, env }: Pick<EventCaller, 'caller' | 'env'>,
  args: JsonObject,
  { eventId, timestamp, data, control }: LoggedOccurrence,
): Promise<EventOccurrence | 'gap' | undefined> {
  if (control !== undefined) return control === 'gap' ? control : undefined
  const stored: JsonObject = JSON.parse(data)
  const access = { auth: caller?.auth, arguments: args, env }
  if (!(await type.matches(args, stored)) || type.isFor?.(stored, access) === false)
    return undefined
  // Of an earlier payload schema.
  if (!type.acceptsData(stored)) return 'gap'
  return { eventId, name: type.name, timestamp, data: await type.transform(stored, access) }
}
