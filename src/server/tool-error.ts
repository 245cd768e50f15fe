/** The one error whose text reaches the caller of a tool. */

/**
 * Thrown by a tool to tell the model what went wrong, in words chosen for it. The call ends in a
 * result with `isError: true` and this message.
 *
 * The text of any other error stays on the server: it goes to telemetry, and the caller reads only
 * that the tool failed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
