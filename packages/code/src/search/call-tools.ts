/**
 * The tools that call another one. A call that names one is replaced by the call of that tool before it is counted, bound
 * and recorded (`./call-target.ts`), so the handlers here run for what is refused, and in a task for a tool without tasks.
 */
import {
  CALLS_ANY,
  CALLS_READING,
  checkScopes,
  runOf,
  type ToolDefinition,
} from '../../../../src/internal.ts'
import { readTarget } from './call-target.ts'
import { defineOwnTool } from './define-own-tool.ts'
import type { SearchNames } from './options.ts'
import type { AddedTool, OwnTools } from './own-tools.ts'

/** One for all tools, and one for those that only read. @param tools that are not in the list */
export function defineCallTools(
  tools: readonly ToolDefinition[],
  { search, call, callRead }: SearchNames,
  own: OwnTools,
): readonly AddedTool[] {
  const reading = tools.filter(({ info }) => info.annotations?.readOnlyHint === true)
  const other = reading.length === 0 ? '' : ` For tools with readOnlyHint use ${callRead}.`
  const all = callTool(tools, {
    name: call,
    title: 'Call a tool',
    description: `Calls a tool of this server that ${search} has found, as if it were called by its name.${other}`,
    annotations: CALLS_ANY,
    own,
  })
  if (reading.length === 0) return [{ role: 'call', tool: all }]
  const read = callTool(reading, {
    name: callRead,
    title: 'Call a tool that reads',
    description: `Calls a tool with readOnlyHint that ${search} has found, and refuses all others: use ${call} for them.`,
    annotations: CALLS_READING,
    own,
  })
  return [
    { role: 'call', tool: all },
    { role: 'read', tool: read },
  ]
}

interface CallToolConfig {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: typeof CALLS_ANY | typeof CALLS_READING
  readonly own: OwnTools
}

function callTool(
  tools: readonly ToolDefinition[],
  { name, own, ...config }: CallToolConfig,
): ToolDefinition {
  const hasTasks = tools.some(({ task }) => task !== undefined)
  return defineOwnTool(
    name,
    {
      ...config,
      // A client asks for a task only where the list says that it may.
      ...(hasTasks ? { task: { support: 'optional', inlineMs: 2_000 } as const } : undefined),
    },
    {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the tool' },
        arguments: {
          type: 'object',
          additionalProperties: true,
          description: 'Its arguments, as its inputSchema describes them',
        },
      },
      required: ['name'],
    },
    (args, ctx) => {
      const run = runOf(ctx)
      const definition = run?.place.definition
      if (run === undefined || definition === undefined)
        throw new TypeError(`Tool ${name} needs the context of its call`)
      const readOnly = config.annotations.readOnlyHint
      const target = readTarget(args, { definition, auth: ctx.auth, own, readOnly })
      checkScopes(target.tool, ctx.auth)
      const { longCalls } = run.call.deployment.extensions
      if (longCalls === undefined) {
        throw new TypeError(`The call of tool ${target.tool.info.name} was not forwarded`)
      }
      return longCalls.callInTask(run, target.tool, target.args)
    },
  )
}
