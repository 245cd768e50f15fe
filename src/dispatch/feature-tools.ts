/** Adds the tools of features to a definition. */
import type { Definition } from '../server/definition.ts'
import type { ToolExtension } from './extensions.ts'

/** @throws {TypeError} for a tool whose name the definition has, and for a definition that a feature cannot serve */
export function withFeatureTools(
  definition: Definition,
  extensions: readonly ToolExtension[],
): Definition {
  const added = extensions.flatMap(({ add }) => add?.(definition) ?? [])
  if (added.length === 0) return definition
  const tools = new Map(definition.tools)
  for (const tool of added) {
    const { name } = tool.info
    if (tools.has(name)) {
      throw new TypeError(
        `Tool "${name}" is registered, and a feature adds one of this name: rename one`,
      )
    }
    tools.set(name, tool)
  }
  return { ...definition, tools }
}
