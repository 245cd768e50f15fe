/** `emit`: checks and stores occurrences. */

import { OperationError } from '../../../src/index.ts'
import type { EmitOptions, EmittedEvent, EventType } from '../../../src/internal.ts'
import { randomToken } from '../../../src/platform/random-token.ts'
import type { TelemetrySink } from '../../../src/ports/telemetry.ts'
import { MAX_EVENT_BYTES } from '../../../src/protocol/events.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import { excerpt } from '../../../src/protocol/protocol-error.ts'
import type { EventDefinition } from './compile-event.ts'
import type { EventObjects, NewOccurrence } from './objects/port.ts'

/** A dot would divide the text that is signed. */
const EVENT_ID = /^[A-Za-z0-9_:=-]{1,128}$/

const ISO_WITH_ZONE = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i

/** The form of RFC 3339, which clients check. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Bytes of a delivery besides data, name and id: the other members, and a cursor. */
const ENVELOPE_BYTES = 512

const MAX_SUBJECT_LENGTH = 8192

export interface EmitContext {
  readonly types: ReadonlyMap<string, EventDefinition>
  readonly objects: EventObjects
  readonly report: TelemetrySink
}

/** @param ownId the id of an occurrence for which the author gives none */
export async function emitTo(
  { types, objects, report }: EmitContext,
  event: EventType | string,
  data: unknown,
  options: EmitOptions = {},
  ownId: () => string | Promise<string> = () => `evt_${randomToken(16)}`,
): Promise<EmittedEvent> {
  const type = findType(types, event)
  const { eventId, subject } = readOptions(type, options)
  const timestamp = readTimestamp(options.timestamp)
  const read = await type.readData(data)
  if (!read.ok) {
    throw new OperationError('invalid-data', `Event ${type.name}: ${read.error}`)
  }
  const text = JSON.stringify(read.value)
  const bytes = new TextEncoder().encode(text).byteLength + type.name.length + ENVELOPE_BYTES
  if (bytes > MAX_EVENT_BYTES) {
    throw new OperationError(
      'too-large',
      `Event ${type.name}: the data have about ${bytes} bytes, and a delivery has at most ${MAX_EVENT_BYTES}. Emit a summary, and let a tool return the rest`,
    )
  }
  const id = eventId ?? (await ownId())
  const occurrence: NewOccurrence = { eventId: id, timestamp, data: text, subject }
  const log = { type: type.name, subject: type.isPersonal ? subject : undefined }
  const { isNew } = await objects.emit(log, occurrence)
  if (isNew) report({ type: 'event-emitted', event: type.name })
  return { eventId: id }
}

/** @throws {OperationError} `unknown-type` */
export function findType(types: EmitContext['types'], event: EventType | string): EventDefinition {
  const name = typeof event === 'string' ? event : event?.name
  const type = typeof name === 'string' ? types.get(name) : undefined
  if (type !== undefined) return type
  throw new OperationError(
    'unknown-type',
    `There is no event type ${JSON.stringify(typeof name === 'string' ? excerpt(name) : name)}: pass it to events({ types })`,
  )
}

function readOptions(
  type: EventDefinition,
  options: EmitOptions,
): Pick<EmitOptions, 'eventId' | 'subject'> {
  const { name } = type
  if (!isJsonObject(options)) throw new TypeError('The options of emit must be an object')
  const { eventId, subject } = options as EmitOptions
  if (eventId !== undefined && !(typeof eventId === 'string' && EVENT_ID.test(eventId))) {
    throw new OperationError(
      'invalid-id',
      `Event ${name}: eventId must be 1 to 128 of the characters A-Z a-z 0-9 _ - : =`,
    )
  }
  return { eventId, subject: subjectFor(type, subject) } as Pick<EmitOptions, 'eventId' | 'subject'>
}

/** @throws {OperationError} `invalid-subject` */
export function subjectFor(
  { name, isPersonal }: EventDefinition,
  subject: unknown,
): string | undefined {
  if (subject === undefined && !isPersonal) return undefined
  const isText = typeof subject === 'string' && subject !== '' && subject.isWellFormed()
  if (isText && subject.length <= MAX_SUBJECT_LENGTH) return subject
  const text =
    subject === undefined
      ? `Event ${name} is personal: emit needs the subject of its person`
      : `Event ${name}: subject must be ctx.auth.subject, 1 to ${MAX_SUBJECT_LENGTH} characters`
  throw new OperationError('invalid-subject', text)
}

function readTimestamp(timestamp: Date | string = new Date()): string {
  if (typeof timestamp === 'string') {
    const [, day] = ISO_WITH_ZONE.exec(timestamp) ?? []
    const time = new Date(timestamp)
    if (day !== undefined && !Number.isNaN(time.getTime()) && isDay(day)) {
      return RFC_3339.test(timestamp) ? timestamp : time.toISOString()
    }
  } else if (timestamp instanceof Date && !Number.isNaN(timestamp.getTime())) {
    return timestamp.toISOString()
  }
  throw new OperationError(
    'invalid-timestamp',
    'timestamp must be a Date, or ISO 8601 with a time zone, as toISOString() returns it',
  )
}

/** `Date` reads 30 February as a day in March. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day)
}
