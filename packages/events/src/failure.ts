/** What a request outside of a handler has thrown, as the error that its client receives. */
import { createReference } from '../../../src/internal.ts'
import type { TelemetrySink } from '../../../src/ports/telemetry.ts'
import { ErrorCode } from '../../../src/protocol/error-codes.ts'
import { ProtocolError } from '../../../src/protocol/protocol-error.ts'

/** Returns the reference by which an operator finds the report. */
export function reportFailure(error: unknown, subject: string, report: TelemetrySink): string {
  const reference = createReference()
  report({ type: 'handler-error', subject, reference, error })
  return reference
}

export function failureOf(error: unknown, subject: string, report: TelemetrySink): ProtocolError {
  if (error instanceof ProtocolError) return error
  const reference = reportFailure(error, subject, report)
  const message = `${subject} failed (reference ${reference}).`
  return new ProtocolError(ErrorCode.internalError, message, undefined, { cause: error })
}
