/** Defines a tool whose handler reads its arguments itself: what a model sends wrongly is answered with what to send. */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import type { FullContext } from '../../server/context.ts'
import { defineTool } from '../../server/define/tool.ts'
import type { ToolDefinition } from '../../server/definition.ts'
import type { ToolSettings } from '../../server/tool.ts'

export function defineOwnTool(
  name: string,
  settings: ToolSettings,
  inputSchema: JsonSchema,
  run: (args: JsonObject, ctx: FullContext) => unknown,
): ToolDefinition {
  const tool = defineTool(name, settings, () => undefined)
  return {
    ...tool,
    info: { ...tool.info, inputSchema },
    run: (args, ctx) => run(isJsonObject(args) ? args : {}, ctx),
  }
}
