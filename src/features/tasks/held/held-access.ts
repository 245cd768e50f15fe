/** Checks whether a caller may read a held call, and answers why not. */
import { calledTools, isVisible, mayAccessTask } from '../../../dispatch/access.ts'
import type { TaskSnapshot } from '../../../ports/tasks.ts'
import type { AuthInfo } from '../../../protocol/auth-info.ts'
import { insufficientScope } from '../../../protocol/protocol-error.ts'
import type { Definition } from '../../../server/definition.ts'
import { ToolError } from '../../../server/tool-error.ts'

export const EXPIRED =
  'The call of this handle is deleted: results are kept for some time. Call the tool again.'

/**
 * Each state is checked: after an earlier one the call may have called a tool that the caller may not call.
 *
 * @throws {ToolError} for a call that has called a tool which the caller does not see
 * @throws {ProtocolError} with `missingScopes` for a caller without the scopes of the tools
 */
export function checkHeldAccess(
  definition: Definition,
  state: TaskSnapshot,
  auth: AuthInfo | undefined,
): void {
  if (state.access === undefined || mayAccessTask(definition, state, auth)) return
  const required = calledTools(state.access).flatMap(({ tool: name, scopes }) => {
    const tool = definition.tools.get(name)
    // A tool that the caller does not see does not exist for it, and neither do its calls.
    if (tool === undefined || !isVisible(tool, auth)) throw new ToolError(EXPIRED)
    return [...tool.scopes, ...scopes]
  })
  throw insufficientScope([...new Set(required)])
}
