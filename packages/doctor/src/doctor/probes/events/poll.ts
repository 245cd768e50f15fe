/** `events/poll`: a first poll, the next one, and requests that must be refused. */
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import type { Members } from '../../../../../text/src/json/members.ts'
import type { RpcReply, Send } from '../../mcp/rpc.ts'
import { type EventType, typeFor, typeWithout } from './event-types.ts'
import { type RefusedRequest, UNKNOWN_TYPE } from './refused-request.ts'

export interface PollObservation {
  readonly type?: string
  /** With `cursor: null`. */
  readonly first?: RpcReply
  /** With the cursor of the first one; absent for a type without cursors. */
  readonly next?: RpcReply
  readonly refused: readonly RefusedRequest[]
}

export async function probePoll(send: Send, types: readonly EventType[]): Promise<PollObservation> {
  const refused: RefusedRequest[] = []
  const refuse = async (what: string, expected: RefusedRequest['expected'], params: Members) => {
    const reply = await send('events/poll', { cursor: null, ...params })
    refused.push({ what, expected, mayBeUnknown: type === undefined, reply })
  }
  const type = typeFor(types, 'poll')
  const other = typeWithout(types, 'poll')
  if (other !== undefined) {
    const args = { name: other.name, arguments: other.arguments ?? {} }
    await refuse('events/poll of a type without the mode poll', 'Unsupported', args)
  }
  if (type === undefined) return { refused }
  const { name, wrongArguments } = type
  const params = { name, arguments: type.arguments, cursor: null }
  const first = await send('events/poll', params)
  const cursor =
    first.kind === 'result' && isJsonObject(first.result) ? first.result.cursor : undefined
  const next =
    typeof cursor === 'string' ? await send('events/poll', { ...params, cursor }) : undefined
  await refuse('events/poll of an unknown type', 'NotFound', { name: UNKNOWN_TYPE, arguments: {} })
  await refuse('events/poll without a name', 'InvalidParams', { arguments: {} })
  if (wrongArguments !== undefined) {
    const wrong = { name, arguments: wrongArguments }
    await refuse('events/poll with an argument of the wrong type', 'InvalidParams', wrong)
  }
  return { type: name, first, ...(next && { next }), refused }
}
