/** The messages of `events/stream`. */
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import { MetaKey } from '../../../../../../src/protocol/meta.ts'
import { quoted } from '../../../../../text/src/quoted.ts'
import { answered, type Detected, detected } from '../../detected.ts'
import type { EventStreamObservation, PushObservation } from '../../probes/events/push.ts'
import { occurrenceFault } from './occurrence.ts'

const NOTIFICATIONS = 'notifications/events/'
const ACTIVE = `${NOTIFICATIONS}active`
const EVENT = `${NOTIFICATIONS}event`
const WITH_CURSOR = [ACTIVE, EVENT, `${NOTIFICATIONS}heartbeat`]
const FIRST_MS = 5000
/** 30 seconds, and the time that a message may take. */
const SILENCE_MS = 32_000

export function pushFaults(push: PushObservation | undefined): Detected[] {
  const { type, failed, stream } = push ?? {}
  const of = `events/stream of ${quoted(type)}`
  if (failed !== undefined) return [answered('events-stream-failed', of, failed)]
  return stream === undefined
    ? []
    : [...openingFaults(stream), ...messageFaults(stream, type), ...endFaults(stream)]
}

function openingFaults({ messages, firstAfterMs, watchedMs }: EventStreamObservation): Detected[] {
  const fault = (text: string) => [detected('events-stream-not-active', text)]
  const [first] = messages
  if (firstAfterMs === undefined) {
    return fault(`No message came within ${seconds(Math.max(watchedMs, 1000))}`)
  }
  if (!isJsonObject(first) || first.method !== ACTIVE)
    return fault(`The first message is ${quoted(first)}`)
  return firstAfterMs > FIRST_MS ? fault(`It came after ${seconds(firstAfterMs)}`) : []
}

function messageFaults(
  { id, messages, longestSilenceMs, comments }: EventStreamObservation,
  type: string | undefined,
): Detected[] {
  const wrong = messages
    .map((message) => messageFault(message, id, type))
    .find((text) => text !== undefined)
  const silence = `No message for ${seconds(longestSilenceMs)}`
  const beside = comments === 0 ? '' : `, and ${comments} comments`
  return [
    ...(wrong === undefined ? [] : [detected('events-stream-message-invalid', wrong)]),
    ...(longestSilenceMs < SILENCE_MS ? [] : [detected('events-stream-silent', silence + beside)]),
  ]
}

/** What is wrong with a message; undefined for a correct one, and for a response. */
function messageFault(message: unknown, id: string, type: string | undefined): string | undefined {
  if (!isJsonObject(message)) return `A message is ${quoted(message)}`
  if (isResponse(message)) return undefined
  const { method, params } = message
  if (typeof method !== 'string' || !method.startsWith(NOTIFICATIONS) || 'id' in message) {
    return `A message is ${quoted(message)}`
  }
  const meta = isJsonObject(params) ? params._meta : undefined
  const subscription = isJsonObject(meta) ? meta[MetaKey.subscriptionId] : undefined
  if (subscription !== id) {
    return `${quoted(method)} has the subscription id ${quoted(subscription)}, and the request has ${quoted(id)}`
  }
  const cursor = isJsonObject(params) ? params.cursor : undefined
  if (WITH_CURSOR.includes(method) && cursor !== null && typeof cursor !== 'string') {
    return `${quoted(method)} has the cursor ${quoted(cursor)}`
  }
  const fault = method === EVENT ? occurrenceFault(params, type) : undefined
  return fault && `${quoted(method)} ${fault}`
}

const isResponse = (message: unknown) =>
  isJsonObject(message) && !('method' in message) && ('result' in message || 'error' in message)

function endFaults({ id, messages, hasEnded }: EventStreamObservation): Detected[] {
  const fault = (text: string) => [detected('events-stream-end-invalid', text)]
  const response = messages.find(isResponse)
  if (response === undefined) {
    return hasEnded && messages.length > 0
      ? fault(`The last message is ${quoted(messages.at(-1))}`)
      : []
  }
  const { result } = isJsonObject(response) ? response : {}
  const meta = isJsonObject(result) ? result._meta : undefined
  const isRight =
    isJsonObject(result) &&
    isJsonObject(meta) &&
    meta[MetaKey.subscriptionId] === id &&
    result.resultType === 'complete' &&
    Object.keys(result).length === 2
  return isRight ? [] : fault(`The last message is ${quoted(response)}`)
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} seconds`
