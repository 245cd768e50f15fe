/** Decides the form of an answer: one JSON object, a stream of events, or either. */
import type { AnswerForm } from '../ports/sessions.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Message } from '../protocol/json-rpc.ts'
import type { Era } from '../protocol/revisions.ts'
import type { Accepted } from './accept.ts'
import { methodOf } from './message.ts'

/**
 * `either` is JSON while the call is quick and sends no notification, and a stream otherwise.
 * `padded-json` is JSON that begins with white space when the call is slow: the platform reports a
 * disconnected client only for a response that has begun.
 */
export type CallForm = AnswerForm | 'padded-json'

/**
 * The request of a client that polls, which is answered with JSON in the session eras.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#input-required-status
 */
const POLL = 'tasks/get'

/** The form for a request that no session object serves. */
export function callForm({ json, sse }: Accepted, era: Era, method: string): CallForm {
  if (json && era !== 'modern' && method === POLL) return 'json'
  if (sse) return json ? 'either' : 'sse'
  // In the session eras a call continues after its client has disconnected.
  return era === 'modern' ? 'padded-json' : 'json'
}

/**
 * The form for the messages of a session. Server requests need a stream, so a client that can be
 * asked is answered with one unless its `Accept` excludes streams.
 */
export function sessionForm(
  { json, sse, sseAllowed }: Accepted,
  { elicitation, sampling, roots }: ClientCapabilities,
  messages: readonly Message[],
): AnswerForm {
  if (json && messages.length === 1 && messages.map(methodOf).includes(POLL)) return 'json'
  const canBeAsked = elicitation !== undefined || sampling !== undefined || roots !== undefined
  if (!sse && !(sseAllowed && canBeAsked)) return 'json'
  return json ? 'either' : 'sse'
}

/** Whether a client accepts an answer that can only be a stream. */
export function acceptsStream({ sseAllowed }: Accepted): boolean {
  return sseAllowed
}

/** The same for the transport of the oldest revision, whose clients often do not name the type. */
export function acceptsHttpSseStream({ json, sse }: Accepted): boolean {
  return json || sse
}

export function sendsEvents(form: CallForm): boolean {
  return form === 'sse' || form === 'either'
}

/** Whether a quick call without notifications is answered with one JSON object. */
export function startsAsJson(form: CallForm): boolean {
  return form !== 'sse'
}
