/** One message of a POST: read from the parsed body, and the fields that refusals and telemetry name. */
import { type Message, parseMessage, type RequestId } from '../protocol/json-rpc.ts'
import { Refusal } from './refusal.ts'

/** Returns the refusal instead of throwing it: one item of a batch is refused without the others. */
export function readMessage(value: unknown): Message | Refusal {
  const message = parseMessage(value)
  if (message.kind !== 'invalid') return message
  const name = message.fault === 'params' ? 'params-malformed' : 'message-malformed'
  return new Refusal(name, message.reason, { id: message.id })
}

export function idOf(message: Message): RequestId | undefined {
  return message.kind === 'notification' ? undefined : message.id
}

export function methodOf(message: Message): string | undefined {
  return message.kind === 'response' ? undefined : message.method
}
