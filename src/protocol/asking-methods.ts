/**
 * The methods whose handlers may ask the client (multi round-trip requests), or wait.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests
 */
export const ASKING_METHODS: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  // Waits for the end of a task of 2025-11-25.
  'tasks/result',
])
