/** The errors of events as servers send them: with the numbers of SEP-3415, or those of the sketch before it. */
import { eventErrorCode } from '../../../../../../src/protocol/event-errors.ts'
import type { EventErrorName } from '../../../../../../src/protocol/events.ts'
import type { RpcReply } from '../../mcp/rpc.ts'

export type ExpectedError = EventErrorName | 'InvalidParams'

export const INVALID_PARAMS = -32_602

/** The numbers that a client may know an error by. */
export function numbersOf(name: ExpectedError): readonly number[] {
  if (name === 'InvalidParams') return [INVALID_PARAMS]
  return [eventErrorCode(name, 'sep'), eventErrorCode(name, 'sketch')]
}

export const isEventError = (reply: RpcReply, name: ExpectedError): boolean =>
  reply.kind === 'error' && numbersOf(name).includes(reply.code)
