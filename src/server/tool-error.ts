/** The only error whose message is sent to the client. */

/**
 * Thrown by a handler to send the model a message about a failure. A tool call ends with a result that
 * has `isError: true` and this message.
 *
 * The message of any other error stays on the server: telemetry receives it, and the client receives
 * only the fact that the tool failed, with a reference.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
