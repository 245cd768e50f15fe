/** The outcome of a call as a value: a result, a protocol error or a suspension. `settleCall` never rejects. */
import { ErrorCode } from '../protocol/error-codes.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Call, ResultText } from './call.ts'
import { Suspension } from './journal/suspension.ts'

/** How a call ends. */
export type Answer = ResultText | ProtocolError

export type Outcome = Answer | Suspension

export function settleCall(call: Call): Outcome | Promise<Outcome> {
  try {
    const result = call.target.dispatcher.dispatch(call)
    return result instanceof Promise ? settlePending(call, result) : result
  } catch (error) {
    return failureOf(call, error)
  }
}

async function settlePending(call: Call, result: Promise<ResultText>): Promise<Outcome> {
  try {
    return await result
  } catch (error) {
    return failureOf(call, error)
  }
}

function failureOf(call: Call, error: unknown): Outcome {
  if (error instanceof ProtocolError || error instanceof Suspension) return error
  return internalError(call, error)
}

/** Reports a fault of the runtime. The client receives no detail of it. */
export function internalError(
  { deployment }: Pick<Call, 'deployment'>,
  error: unknown,
): ProtocolError {
  deployment.report({ type: 'internal-error', error })
  return new ProtocolError(ErrorCode.internalError, 'Internal error', undefined, { cause: error })
}
