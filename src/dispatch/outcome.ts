/** What becomes of a call, as a value: whoever waits for it has nothing to catch. */
import { ErrorCode } from '../protocol/error-codes.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { Call, ResultText } from './call.ts'
import type { Dispatcher } from './dispatcher.ts'
import { Suspension } from './journal/suspension.ts'

export type Outcome = ResultText | ProtocolError | Suspension

export async function settleCall(
  dispatcher: Dispatcher,
  revision: Revision,
  call: Call,
): Promise<Outcome> {
  try {
    return await dispatcher.dispatch(revision, call)
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof Suspension) return error
    return internalError(call, error)
  }
}

/** What is no protocol error is the runtime's own fault, and says nothing outside. */
export function internalError({ report }: Pick<Call, 'report'>, error: unknown): ProtocolError {
  report({ type: 'internal-error', error })
  return new ProtocolError(ErrorCode.internalError, 'Internal error', undefined, { cause: error })
}
