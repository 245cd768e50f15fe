/** Adds the tools of features to a definition. */
import type { Definition } from '../server/definition.ts'
import type { ToolExtension } from './extensions.ts'

/** Hints of a tool that returns what the server has. */
export const READS_SERVER = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Of one that calls tools of the author that only read. */
export const CALLS_READING = { readOnlyHint: true, destructiveHint: false, openWorldHint: true }

/** Of one that calls any. The directory of OpenAI refuses a tool that lacks one of three hints. */
export const CALLS_ANY = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}

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
