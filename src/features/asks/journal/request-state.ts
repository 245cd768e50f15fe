/**
 * `requestState`: the journal between two rounds, which the client stores. It is sealed against reading and
 * modification and bound to the request: the next round must come from the same principal with the same
 * method, name and arguments before the state expires.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */

import type { Call } from '../../../dispatch/call.ts'
import { Journal, parseJournalState, SENT_FILES } from '../../../dispatch/journal/journal.ts'
import type { Suspension } from '../../../dispatch/journal/suspension.ts'
import type { Sealer } from '../../../ports/sealer.ts'
import { ErrorCode } from '../../../protocol/error-codes.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import { invalidParams, ProtocolError } from '../../../protocol/protocol-error.ts'
import { answerTimeoutMs } from '../asks-options.ts'

/** Maximum size of a journal, in bytes of JSON. */
export const MAX_STATE_BYTES = 96 * 1024
/** Maximum length of a sealed state, in UTF-16 code units. */
const MAX_SEALED_LENGTH = 160 * 1024
/** Tolerated clock difference between isolates. */
const CLOCK_SKEW_MS = 60_000

/**
 * Opens the journal of earlier rounds. A request with answers and without a state has an empty journal.
 *
 * @throws {ProtocolError} invalidParams, if the state is malformed, expired, of another request or already redeemed
 */
export async function resumeJournal(call: Call, singleUse: boolean): Promise<Journal> {
  const { requestState, inputResponses } = call.request.params ?? {}
  if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
    throw invalidParams('params.inputResponses must be an object')
  }
  if (requestState === undefined) {
    // Without its state a single-use question could be answered more than once.
    if (singleUse) throw invalidParams('params.requestState is required with these answers')
    return new Journal(undefined, inputResponses)
  }
  if (typeof requestState !== 'string' || requestState.length > MAX_SEALED_LENGTH) throw refused()
  const sealer = call.services.sealer()
  if (sealer === undefined) throw refused()
  const plaintext = await sealer.open('request-state/1', requestState, contextOf(call))
  if (plaintext === undefined) throw refused()
  const payload: unknown = JSON.parse(new TextDecoder().decode(plaintext))
  const state = parseJournalState(payload)
  if (state === undefined || !isJsonObject(payload)) throw refused()
  // The state of a call whose client sends its files first carries no answer, and can be repeated until they are there.
  const isOfFiles = Object.hasOwn(state.steps, SENT_FILES) && inputResponses === undefined
  if (singleUse && typeof payload.nonce !== 'string' && !isOfFiles) throw refused()
  await checkTimeAndUse(payload, sealer)
  return new Journal(state, inputResponses)
}

async function checkTimeAndUse(
  { issuedAt, expiresAt, nonce }: JsonObject,
  sealer: Sealer,
): Promise<void> {
  const now = Date.now()
  if (typeof issuedAt !== 'number' || typeof expiresAt !== 'number') throw refused()
  if (now > expiresAt) throw invalidParams('params.requestState has expired: call again without it')
  if (issuedAt > now + CLOCK_SKEW_MS) throw refused()
  if (typeof nonce === 'string' && !(await sealer.redeem(nonce, expiresAt))) {
    throw invalidParams('params.requestState has been used: it can be redeemed once')
  }
}

/** One error for every invalid state, so that the error does not disclose which check failed. */
function refused(): ProtocolError {
  return invalidParams('params.requestState is not valid for this request')
}

/**
 * Seals the journal of a suspended run. Without a keyring, a run whose journal is empty has no state.
 *
 * @throws {ProtocolError} internalError, if the journal is too large or there is no key to seal it with;
 *   invalidParams, if the client's answers are too long
 */
export async function sealState(
  call: Call,
  { state, singleUse }: Suspension,
): Promise<string | undefined> {
  const sealer = call.services.sealer()
  if (sealer === undefined) {
    const hasEntries =
      singleUse || Object.keys(state.answers).length + Object.keys(state.steps).length > 0
    if (!hasEntries) return undefined
    throw cannotSeal(call, 'add the binding MCP_OBJECTS, or set EDGEWAY_SECRET')
  }
  const issuedAt = Date.now()
  const payload = {
    ...state,
    issuedAt,
    expiresAt: issuedAt + answerTimeoutMs(call.deployment),
    ...(singleUse ? { nonce: crypto.randomUUID() } : undefined),
  }
  const plaintext = new TextEncoder().encode(JSON.stringify(payload))
  if (plaintext.byteLength > MAX_STATE_BYTES) {
    // The author is responsible for large step results, the client for long answers.
    const steps = new TextEncoder().encode(JSON.stringify(state.steps)).byteLength
    if (steps < MAX_STATE_BYTES / 2) {
      throw invalidParams('The answers are too long to be carried to the next question')
    }
    throw cannotSeal(call, `it is ${plaintext.byteLength} bytes; the limit is ${MAX_STATE_BYTES}`)
  }
  return sealer.seal('request-state/1', plaintext, contextOf(call))
}

function cannotSeal(call: Call, why: string): ProtocolError {
  const error = new Error(`The journal of ${call.request.method} cannot be sealed: ${why}`)
  call.deployment.report({ type: 'internal-error', error })
  return new ProtocolError(ErrorCode.internalError, 'Internal error', undefined, { cause: error })
}

/** The context that a state is bound to. */
function contextOf({ request, deployment }: Call): string {
  const { auth, method, params, factoryParams } = request
  const principal =
    auth === undefined ? null : [auth.issuer, auth.subject, auth.clientId, auth.resource]
  const { name = null, uri = null, arguments: args = {} } = params ?? {}
  const bound = [deployment.audience, principal, method, name, uri, canonical(args)]
  const definition = Object.entries(factoryParams)
  return JSON.stringify(definition.length === 0 ? bound : [...bound, definition])
}

/** Sorts the keys of objects, because a client may serialise the arguments in another order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isJsonObject(value)) return value
  const sorted = Object.keys(value).sort()
  return Object.fromEntries(sorted.map((key) => [key, canonical(value[key])]))
}
