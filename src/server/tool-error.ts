/** The only error whose message is sent to the client. */
import type { ConnectionErrorReason } from './connection.ts'
import type { FileErrorReason } from './file.ts'
import type { StateErrorReason } from './state.ts'
import type { UpstreamTokenErrorReason } from './upstream.ts'

/**
 * Thrown by a handler to send the model a message about a failure. A tool call ends with a result that
 * has `isError: true` and this message. Operations on files, state, connections and upstream tokens throw it too, with a
 * `reason` and a message that says what to do.
 *
 * The message of any other error stays on the server: telemetry receives it, and the client receives
 * only the fact that the tool failed, with a reference.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  /** Why an operation of this package failed; undefined for an error of a handler. */
  readonly reason:
    | ConnectionErrorReason
    | FileErrorReason
    | StateErrorReason
    | UpstreamTokenErrorReason
    | undefined

  constructor(
    message?: string,
    options?: ErrorOptions & { readonly reason?: ToolError['reason'] },
  ) {
    super(message, options)
    this.reason = options?.reason
  }
}
