/** One event, as a result, a notification or the body of a delivery has it. */
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import { quoted } from '../../../../../text/src/quoted.ts'

/** What is wrong, after "The result of … "; undefined for a correct event. */
export function occurrenceFault(event: unknown, type: string | undefined): string | undefined {
  if (!isJsonObject(event)) return `has the event ${quoted(event)}`
  const { eventId, name, timestamp, data, cursor } = event
  const wrong = Object.entries({
    eventId: typeof eventId === 'string' && eventId !== '',
    name: name === type,
    timestamp: isTimestamp(timestamp),
    data: isJsonObject(data),
    cursor: cursor === undefined || cursor === null || typeof cursor === 'string',
  }).find(([, isRight]) => !isRight)
  if (wrong !== undefined) return `has an event with the ${wrong[0]} ${quoted(event[wrong[0]])}`
  return 'type' in event ? 'has an event with a member type, as control messages have' : undefined
}

/** ISO 8601 with a time zone. */
const isTimestamp = (value: unknown) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/i.test(value) &&
  !Number.isNaN(Date.parse(value))
