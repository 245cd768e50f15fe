/** What a client reads when a run ended without an answer of its handler. */
import { ACCESS_ENDED } from '../../src/dispatch/failure.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { excerpt, invalidParams, type ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { RunFailure } from './run-state.ts'

const INTERRUPTED = 'The server was interrupted while this call was running.'

export const RUN_FAILURES: Readonly<Record<RunFailure, string>> = {
  'access-revoked': ACCESS_ENDED,
  'too-many-rounds': 'The handler asked too many times and was stopped.',
  'asks-expired': 'The question was not answered in time. The call may be repeated.',
  interrupted: `${INTERRUPTED} Part of its work may have been done: check before repeating the call.`,
  'interrupted-too-often': `${INTERRUPTED} The call may be repeated.`,
}

/** The definition of the caller has changed while the run waited. */
export function notOfferedAnyMore(params: JsonObject | undefined): ProtocolError {
  const name = typeof params?.name === 'string' ? params.name : 'The tool or prompt'
  return invalidParams(`${excerpt(name)} is not offered to you any more, so its call cannot go on`)
}
