/**
 * `requestState`: the journal between two rounds, carried by the client. Sealed, so that it can be
 * neither read nor changed, and bound to who asked what: the same principal, method, name and
 * arguments must come back, within a stated time.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */

import type { Sealer } from '../../ports/sealer.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { invalidParams, ProtocolError } from '../../protocol/protocol-error.ts'
import type { Call } from '../call.ts'
import { Journal, parseJournalState } from './journal.ts'
import type { Suspension } from './suspension.ts'

/** Largest journal, in bytes of JSON. */
export const MAX_STATE_BYTES = 96 * 1024
/** Longest sealed text that is looked at. */
const MAX_SEALED_LENGTH = 160 * 1024
/** How far another isolate's clock may be ahead. */
const CLOCK_SKEW_MS = 60_000

/** The journal of a request's earlier rounds; an empty one where it brings answers alone. */
export async function resumeJournal(call: Call, singleUse: boolean): Promise<Journal> {
  const { requestState, inputResponses } = call.request.params ?? {}
  if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
    throw invalidParams('params.inputResponses must be an object')
  }
  if (requestState === undefined) {
    // What may be redeemed once cannot be answered past its state.
    if (singleUse) throw invalidParams('params.requestState is required with these answers')
    return new Journal(undefined, inputResponses)
  }
  if (typeof requestState !== 'string' || requestState.length > MAX_SEALED_LENGTH) throw refused()
  const sealer = call.deployment.services.sealer()
  if (sealer === undefined) throw refused()
  const plaintext = await sealer.open('request-state', requestState, contextOf(call))
  if (plaintext === undefined) throw refused()
  const payload: unknown = JSON.parse(new TextDecoder().decode(plaintext))
  const state = parseJournalState(payload)
  if (state === undefined || !isJsonObject(payload)) throw refused()
  if (singleUse && typeof payload.nonce !== 'string') throw refused()
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

/** One refusal for everything that is not ours, so that it tells nothing of how near it was. */
function refused(): ProtocolError {
  return invalidParams('params.requestState is not valid for this request')
}

/**
 * Seals the journal of a suspended run. Without a key to seal with, a run that has only questions
 * goes without; one that has something to remember cannot.
 *
 * @throws {ProtocolError} internalError, when the journal cannot be kept
 */
export async function sealState(
  call: Call,
  { state, singleUse }: Suspension,
): Promise<string | undefined> {
  const sealer = call.deployment.services.sealer()
  if (sealer === undefined) {
    const remembers =
      singleUse || Object.keys(state.answers).length + Object.keys(state.steps).length > 0
    if (!remembers) return undefined
    throw cannotKeep(call, 'there is neither a keyring object nor a secret to seal it with')
  }
  const issuedAt = Date.now()
  const payload = {
    ...state,
    issuedAt,
    expiresAt: issuedAt + call.deployment.limits.requestStateTtlMs,
    ...(singleUse ? { nonce: crypto.randomUUID() } : undefined),
  }
  const plaintext = new TextEncoder().encode(JSON.stringify(payload))
  if (plaintext.byteLength > MAX_STATE_BYTES) {
    // Steps are the author's doing, long answers the client's.
    const steps = new TextEncoder().encode(JSON.stringify(state.steps)).byteLength
    if (steps < MAX_STATE_BYTES / 2) {
      throw invalidParams('The answers are too long to be carried to the next question')
    }
    throw cannotKeep(call, `it is ${plaintext.byteLength} bytes; the limit is ${MAX_STATE_BYTES}`)
  }
  return sealer.seal('request-state', plaintext, contextOf(call))
}

function cannotKeep(call: Call, why: string): ProtocolError {
  const error = new Error(`The journal of ${call.request.method} cannot be kept: ${why}`)
  call.deployment.report({ type: 'internal-error', error })
  return new ProtocolError(ErrorCode.internalError, 'Internal error', undefined, { cause: error })
}

/** Everything a state is bound to. */
function contextOf({ request, deployment }: Call): string {
  const { auth, method, params } = request
  const principal =
    auth === undefined ? null : [auth.issuer, auth.subject, auth.clientId, auth.resource]
  const { name = null, uri = null, arguments: args = {} } = params ?? {}
  return JSON.stringify([deployment.audience, principal, method, name, uri, canonical(args)])
}

/** The same value whatever the order of its keys: a client may write an object anew. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isJsonObject(value)) return value
  const sorted = Object.keys(value).sort()
  return Object.fromEntries(sorted.map((key) => [key, canonical(value[key])]))
}
