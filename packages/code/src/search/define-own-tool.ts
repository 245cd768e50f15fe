/** Defines a tool whose handler reads its arguments itself: what a model sends wrongly is answered with what to send. */
import {
  defineTool,
  type FullContext,
  type ToolDefinition,
  type ToolSettings,
} from '../../../../src/internal.ts'
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'

export function defineOwnTool(
  name: string,
  settings: ToolSettings,
  inputSchema: JsonSchema,
  run: (args: JsonObject, ctx: FullContext) => unknown,
): ToolDefinition {
  const tool = defineTool(name, { ...settings, alwaysLoad: true }, () => undefined)
  return {
    ...tool,
    info: { ...tool.info, inputSchema },
    run: (args, ctx) => run(isJsonObject(args) ? args : {}, ctx),
  }
}
