/**
 * Tells the tools of the author, which a search finds, from those that features add. Definitions are copied while they are
 * sealed and guarded; what clients see of a tool stays the same object.
 */
import {
  type Definition,
  isVisible,
  type ToolDefinition,
  type ToolExtension,
} from '../../../../src/internal.ts'
import { isForModel } from '../../../../src/protocol/apps.ts'
import type { AuthInfo } from '../../../../src/protocol/auth-info.ts'
import type { Tool } from '../../../../src/protocol/primitives.ts'

/** What an added tool does. `read`: calls tools that only read. */
export type Role = 'search' | 'call' | 'read'

export interface AddedTool {
  readonly role: Role
  readonly tool: ToolDefinition
}

export class OwnTools {
  readonly #searched = new WeakSet<Tool>()
  readonly #roles = new WeakMap<Tool, Role>()
  /** The extension of the feature. */
  extension: ToolExtension | undefined

  addSearched(tools: Iterable<ToolDefinition>): void {
    for (const { info } of tools) if (isForModel(info)) this.#searched.add(info)
  }

  addAdded(added: readonly AddedTool[]): readonly ToolDefinition[] {
    return added.map(({ role, tool }) => {
      this.#roles.set(tool.info, role)
      return tool
    })
  }

  /** Undefined for a tool that `search()` has not added. */
  roleOf(tool: ToolDefinition | undefined): Role | undefined {
    return tool && this.#roles.get(tool.info)
  }

  isSearched({ info }: ToolDefinition): boolean {
    return this.#searched.has(info)
  }

  /** The tools that a caller can find. */
  foundBy({ tools }: Pick<Definition, 'tools'>, auth: AuthInfo | undefined): ToolDefinition[] {
    return [...tools.values()].filter(
      (tool) => this.isSearched(tool) && tool.deprecated?.listed !== false && isVisible(tool, auth),
    )
  }
}
