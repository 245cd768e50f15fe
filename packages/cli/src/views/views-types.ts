/** The types of the tools that views may call, from their JSON Schemas. */

import { UI_META } from '../../../../src/protocol/apps.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { Tool } from '../../../../src/protocol/primitives.ts'
import { typeText } from '../../../code/src/code/declarations.ts'
import type { ReadProject } from '../../../doctor/src/definition/read-project.ts'

export const TYPES_LINE =
  '// Written by `edgeway views types`. Change the definitions of the tools instead.\n'

/** UTF-16 code units of one type. What is longer ends in `unknown`. */
const MAX_TYPE_LENGTH = 100_000

/** Of all servers of the project. Tools that are for the model alone are left out. */
export function viewsTypes(tools: readonly Tool[]): string {
  const members = tools
    .filter(isForViews)
    .sort(byName)
    .map(
      ({ name, inputSchema, outputSchema }) => `  ${keyOf(name)}: {
    readonly arguments: ${argumentsText(inputSchema)}
    readonly result: ${outputSchema === undefined ? 'undefined' : typeText(outputSchema, MAX_TYPE_LENGTH)}
  }
`,
    )
  return `${TYPES_LINE}
/** \`connectView<Tools, 'the_tool_of_the_view'>({ name })\` */
export interface Tools {
${members.join('')}}
`
}

export const toolsOf = ({ apps }: ReadProject): readonly Tool[] => [
  ...new Map(
    apps.flatMap(({ surface }) => surface.tools.map((tool) => [tool.name, tool])),
  ).values(),
]

/** The names of tools that have a view, and no schema of what it shows. */
export const withoutResultType = (tools: readonly Tool[]): readonly string[] =>
  tools
    .filter((tool) => tool.outputSchema === undefined && uiOf(tool)?.resourceUri !== undefined)
    .map(({ name }) => name)

function uiOf({ _meta }: Tool) {
  const ui = _meta?.[UI_META]
  return isJsonObject(ui) ? ui : undefined
}

function isForViews(tool: Tool): boolean {
  const visibility = uiOf(tool)?.visibility
  return !Array.isArray(visibility) || visibility.includes('app')
}

const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const byName = (a: Tool, b: Tool) => (a.name < b.name ? -1 : 1)

/** An object without properties would accept any argument. */
function argumentsText(schema: Tool['inputSchema']): string {
  const text = typeText(schema, MAX_TYPE_LENGTH)
  return text === '{}' || text === 'Record<string, unknown>'
    ? 'Readonly<Record<string, never>>'
    : text
}
