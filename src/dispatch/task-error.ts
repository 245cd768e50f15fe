/** The stored error of a task as the protocol error that its request throws. */
import type { TaskError } from '../ports/tasks.ts'
import type { ErrorCode } from '../protocol/error-codes.ts'
import { InsufficientScopeError, ProtocolError } from '../protocol/protocol-error.ts'

export function protocolErrorOf({ code, message, data, missingScopes }: TaskError): ProtocolError {
  if (missingScopes !== undefined) return new InsufficientScopeError(missingScopes)
  return new ProtocolError(code as ErrorCode, message, data)
}
