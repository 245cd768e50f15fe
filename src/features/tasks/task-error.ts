/** The stored error of a task, as its clients see it and as the error that its request throws. */
import type { TaskError } from '../../ports/tasks.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import { insufficientScope, ProtocolError } from '../../protocol/protocol-error.ts'
import type { TaskDetail } from '../../protocol/tasks.ts'

/** The members of a JSON-RPC error, without what is stored beside them. */
export function jsonRpcErrorOf({
  code,
  message,
  data,
}: TaskError): NonNullable<TaskDetail['error']> {
  return data === undefined ? { code, message } : { code, message, data }
}

export function protocolErrorOf({ code, message, data, missingScopes }: TaskError): ProtocolError {
  if (missingScopes !== undefined) return insufficientScope(missingScopes)
  return new ProtocolError(code as ErrorCode, message, data)
}
