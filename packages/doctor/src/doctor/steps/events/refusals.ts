/** Requests about events that must be refused, and the errors they got. */
import { ErrorCode } from '../../../../../../src/protocol/error-codes.ts'
import { firstOf } from '../../../../../text/src/quoted.ts'
import { answered, type Detected, describe, detected } from '../../detected.ts'
import { mediaTypeOf } from '../../mcp/rpc.ts'
import { isEventError } from '../../probes/events/event-errors.ts'
import type { EventsObservation } from '../../probes/events/events.ts'
import type { RefusedRequest } from '../../probes/events/refused-request.ts'

/** One finding for all of one kind: they have one cause. */
export function refusalFaults({ poll, push, webhook }: EventsObservation): Detected[] {
  const { subscription } = webhook ?? {}
  const unknown = subscription?.unknown
  const all = [
    ...(poll?.refused ?? []),
    ...(push?.refused ?? []),
    ...(webhook?.refused ?? []),
    ...(unknown === undefined ? [] : [{ ...UNKNOWN_SUBSCRIPTION, reply: unknown }]),
  ]
  const wrong = all.filter((request) => !isRefused(request))
  const unchecked = wrong.filter(isOfSecrets)
  const others = wrong.filter((request) => !isOfSecrets(request))
  return [
    ...one('events-subscribe-unchecked', unchecked),
    ...one('events-refusal-wrong', others),
    ...(push?.refused ?? []).flatMap(streamFault).slice(0, 1),
  ]
}

const UNKNOWN_SUBSCRIPTION = {
  what: 'events/unsubscribe of an unknown subscription',
  expected: 'NotFound',
} as const

const isOfSecrets = ({ what, expected }: RefusedRequest) =>
  expected === 'InvalidParams' && what.startsWith('events/subscribe')

function isRefused({ reply, expected, mayBeUnknown = false }: RefusedRequest): boolean {
  if (isEventError(reply, expected)) return true
  return mayBeUnknown && reply.kind === 'error' && reply.code === ErrorCode.methodNotFound
}

function one(code: Detected['code'], wrong: readonly RefusedRequest[]): Detected[] {
  if (wrong.length === 0) return []
  const texts = wrong.map(
    ({ what, expected, reply }) =>
      `${what} is answered with ${describe(reply)} and not with ${expected}`,
  )
  return [detected(code, firstOf(texts))]
}

/** A client that gets a stream waits for events. */
function streamFault({ what, reply }: RefusedRequest): Detected[] {
  const isStream = reply.kind === 'error' && mediaTypeOf(reply.http) === 'text/event-stream'
  return isStream
    ? [answered('events-stream-not-refused', `${what}, with text/event-stream,`, reply)]
    : []
}
