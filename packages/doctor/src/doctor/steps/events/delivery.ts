/** One request at the receiver: its headers, its signature and its body. */
import { createHmac } from 'node:crypto'
import { MAX_EVENT_BYTES } from '../../../../../../src/protocol/events.ts'
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import { quoted } from '../../../../../text/src/quoted.ts'
import { isChallenge, type ReceivedEvent } from '../../http/event-receiver.ts'
import { occurrenceFault } from './occurrence.ts'

const MAX_SKEW_SECONDS = 300

export interface ExpectedDelivery {
  readonly secret: string
  readonly type: string | undefined
  /** The id that `events/subscribe` has returned; undefined where it returned none. */
  readonly id: string | undefined
}

/** What is wrong; undefined for a correct delivery, challenge or control message. */
export function deliveryFault(
  { at, method, headers, body, value }: ReceivedEvent,
  { secret, type, id }: ExpectedDelivery,
): string | undefined {
  if (method !== 'POST') return `It has the method ${quoted(method)}`
  const contentType = headers['content-type'] ?? ''
  if (!/^application\/json\b/i.test(contentType))
    return `It has the Content-Type ${quoted(contentType)}`
  if (Buffer.byteLength(body) > MAX_EVENT_BYTES)
    return `Its body has ${Buffer.byteLength(body)} bytes`
  const messageId = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  const subscription = headers['x-mcp-subscription-id']
  if (messageId === '') return 'It has no webhook-id'
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Number(timestamp) - at / 1000) > MAX_SKEW_SECONDS) {
    return `It has the webhook-timestamp ${quoted(timestamp)}`
  }
  if (subscription === undefined || (id !== undefined && subscription !== id)) {
    return `It has the X-MCP-Subscription-Id ${quoted(subscription)}, and the id is ${quoted(id)}`
  }
  const expected = signatureOf(secret, `${messageId}.${timestamp}.${body}`)
  const signature = headers['webhook-signature'] ?? ''
  if (!signature.split(' ').includes(expected)) {
    return `The webhook-signature ${quoted(signature.slice(0, 12))} is not that of the body${guessOf(secret, `${messageId}.${timestamp}.${body}`, signature)}`
  }
  return bodyFault(value, messageId, type)
}

function bodyFault(
  value: unknown,
  messageId: string,
  type: string | undefined,
): string | undefined {
  if (isJsonObject(value) && typeof value.type === 'string') {
    if (!/^msg_[a-z]+_./.test(messageId))
      return `A ${quoted(value.type)} has the webhook-id ${quoted(messageId)}`
    const isEmpty =
      isChallenge(value) && (typeof value.challenge !== 'string' || value.challenge === '')
    return isEmpty ? `It has the challenge ${quoted(value.challenge)}` : undefined
  }
  const fault = occurrenceFault(value, type)
  if (fault !== undefined) return `The body ${fault}`
  const { eventId } = isJsonObject(value) ? value : {}
  return eventId === messageId
    ? undefined
    : `It has the webhook-id ${quoted(messageId)} and the eventId ${quoted(eventId)}`
}

function signatureOf(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

/** The mistake that servers make: the text of the secret as the key. */
function guessOf(secret: string, text: string, signature: string): string {
  const asText = [secret, secret.replace(/^whsec_/, '')].map(
    (key) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`,
  )
  const isGuessed = signature.split(' ').some((one) => asText.includes(one))
  return isGuessed ? ': its key is the text of the secret, and not the bytes that it encodes' : ''
}
