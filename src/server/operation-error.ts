/** The error of an operation that an author's code calls: `emit`, `edgeway.tasks(env)` and `edgeway.admin(env)`. */
import type { EmitErrorReason } from './event.ts'
import type { DeliveryErrorReason } from './task-control.ts'

/**
 * Of `edgeway.admin(env)`. `no-binding`: `MCP_OBJECTS` is missing. `issues-no-tokens`: there is no `embedded()`.
 * `too-many`: 100 are revoked already. `invalid-argument`: it is no text, is empty, or is longer than any id.
 */
export type AdminErrorReason = 'no-binding' | 'issues-no-tokens' | 'too-many' | 'invalid-argument'

/** An operation that was not carried out. The message says what to do. */
export class OperationError extends Error {
  override readonly name = 'OperationError'
  readonly reason: AdminErrorReason | DeliveryErrorReason | EmitErrorReason

  constructor(reason: OperationError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
