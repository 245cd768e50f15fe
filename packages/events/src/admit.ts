/** The checks of every request for events, in their order: type, mode, arguments, principal, scopes, authorization. */
import { hasScopes, isVisible } from '../../../src/internal.ts'
import { canonicalText } from '../../../src/protocol/canonical-json.ts'
import { forbidden, unknownEvent, unsupportedMode } from '../../../src/protocol/event-errors.ts'
import type { DeliveryMode } from '../../../src/protocol/events.ts'
import { invalidParams } from '../../../src/protocol/protocol-error.ts'
import type { EventDefinition } from './compile-event.ts'
import { type EventCaller, type EventServer, subjectOf } from './event-caller.ts'
import { eventError, missingEventScopes } from './event-error.ts'
import { type EventParams, MAX_ARGUMENTS_LENGTH } from './event-params.ts'
import type { LogName } from './objects/port.ts'

export interface Admitted {
  readonly type: EventDefinition
  readonly log: LogName
  /** Whose occurrences the caller gets besides those for everyone. */
  readonly subject: string | undefined
  /** Canonical: equal arguments have equal texts. */
  readonly argumentsText: string
}

/**
 * @throws {ProtocolError} of the extension, or invalidParams
 * @throws what the author's `authorize` throws
 */
export async function admit(
  server: EventServer,
  asking: EventCaller,
  { name, arguments: args }: Pick<EventParams, 'name' | 'arguments'>,
  mode: DeliveryMode,
): Promise<Admitted> {
  const { caller, profile, env } = asking
  const auth = caller?.auth
  const type = findVisible(server, asking, name)
  if (type === undefined) throw eventError(unknownEvent, profile)
  if (!type.delivery.includes(mode)) throw eventError(unsupportedMode(mode), profile)
  const argumentsText = canonicalText(args)
  if (argumentsText.length > MAX_ARGUMENTS_LENGTH) {
    throw invalidParams(`params.arguments must have at most ${MAX_ARGUMENTS_LENGTH} characters`)
  }
  const fault = await type.checkArguments(args)
  if (fault !== undefined) throw invalidParams(`Invalid arguments of ${name}:\n${fault}`)
  const subject = subjectOf(server, asking)
  if (subject === undefined && (type.isPersonal || mode === 'webhook')) {
    throw eventError(forbidden('Sign in: this event type is for signed-in callers'), profile)
  }
  if (!hasScopes(type, auth)) throw missingEventScopes(type.scopes, profile)
  if (!(await type.authorize({ auth, arguments: args, env }, 'subscribe'))) {
    throw eventError(forbidden('You may not receive these events'), profile)
  }
  const log = { type: type.name, subject: type.isPersonal ? subject : undefined }
  return { type, log, subject, argumentsText }
}

/** Undefined for a type that the caller does not see, which does not differ from one that does not exist. */
function findVisible(
  { types }: EventServer,
  { caller, report }: EventCaller,
  name: string,
): EventDefinition | undefined {
  const type = types.get(name)
  return type !== undefined && isSeen(type, caller?.auth, report) ? type : undefined
}

/** A callback that throws hides its type, and is reported. */
export function isSeen(
  type: EventDefinition,
  auth: Parameters<typeof isVisible>[1],
  report: EventCaller['report'],
): boolean {
  try {
    return isVisible(type, auth)
  } catch (error) {
    report({ type: 'handler-error', subject: `Event ${type.name}`, reference: 'visible', error })
    return false
  }
}
