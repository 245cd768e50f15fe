/** `getMcpAuthContext()` of the Agents SDK. */
import { findContext } from '../../../src/context/index.ts'

export interface McpAuthContext {
  readonly props: Record<string, unknown>
}

/** The props of the caller of the running handler; undefined outside of a handler, and for a caller without props. */
export function getMcpAuthContext(): McpAuthContext | undefined {
  const props = findContext()?.auth?.props
  return props === undefined ? undefined : { props: { ...props } }
}
