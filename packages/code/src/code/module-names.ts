/** The tools that code may call, and their names as identifiers. */
import { type Definition, isVisible, type ToolDefinition } from '../../../../src/internal.ts'
import { isForModel } from '../../../../src/protocol/apps.ts'
import type { AuthInfo } from '../../../../src/protocol/auth-info.ts'
import type { Tool } from '../../../../src/protocol/primitives.ts'

const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public return ' +
    'static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
)

export interface ModuleTool {
  readonly identifier: string
  readonly tool: ToolDefinition
}

/** The tools of the module, by name. */
export type ToolModule = ReadonlyMap<string, ModuleTool>

export interface ModuleFilter {
  readonly tools: ((tool: Tool) => boolean) | undefined
  readonly readOnly: boolean
}

/**
 * Returns the module of a definition. A tool whose work needs a task of its own is not in it: the code waits for the
 * results of its calls. Nor is one that the model must not see.
 */
export function moduleOf({ tools }: Pick<Definition, 'tools'>, filter: ModuleFilter): ToolModule {
  // A name that is an identifier stays its tool's own, whichever tool is registered first.
  const used = new Set(tools.keys())
  const named = [...tools.values()].flatMap((tool): [string, ModuleTool][] => {
    if (tool.job !== undefined || tool.task?.support === 'required') return []
    if (tool.isDirect || !isForModel(tool.info)) return []
    if (filter.readOnly && tool.info.annotations?.readOnlyHint !== true) return []
    if (filter.tools?.(tool.info) === false) return []
    return [[tool.info.name, { identifier: uniqueIdentifier(tool.info.name, used), tool }]]
  })
  return new Map(named)
}

/** The same without what a caller does not see in its definition. */
export function visibleModule(
  module: ToolModule,
  { tools }: Pick<Definition, 'tools'>,
  auth: AuthInfo | undefined,
): ToolModule {
  return new Map(
    [...module].flatMap(([name, { identifier }]): [string, ModuleTool][] => {
      const tool = tools.get(name)
      return tool !== undefined && isVisible(tool, auth) ? [[name, { identifier, tool }]] : []
    }),
  )
}

function uniqueIdentifier(name: string, used: Set<string>): string {
  const base = identifierOf(name)
  if (base === name) return name
  let identifier = base
  for (let number = 2; used.has(identifier); number++) identifier = `${base}_${number}`
  used.add(identifier)
  return identifier
}

function identifierOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_$]/g, '_')
  return /^\d/.test(plain) || RESERVED.has(plain) ? `_${plain}` : plain
}
