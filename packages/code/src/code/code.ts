/** `code()`: one tool that runs JavaScript of the model, in which the other tools are functions. */

import type { Feature } from '../../../../src/feature/index.ts'
import { asks } from '../../../../src/index.ts'
import {
  type AppContext,
  createFeature,
  type Definition,
  type FeatureParts,
  type ListView,
  type ToolDefinition,
} from '../../../../src/internal.ts'
import { resolveLimits } from '../../../../src/platform/limits.ts'
import type { Tool } from '../../../../src/protocol/primitives.ts'
import { defineExecute, type ExecuteOptions } from './execute-tool.ts'
import { moduleOf } from './module-names.ts'

export interface CodeOptions {
  /** The name of the tool. Default `execute`. */
  readonly name?: string
  /** The binding of the Worker loader. Default `LOADER`. */
  readonly binding?: string
  /** Which tools code may call. Default: all that do not need a task. */
  readonly tools?: (tool: Tool) => boolean
  /** Code may call only tools with `readOnlyHint`, and the tool has this hint too. Default false. */
  readonly readOnly?: boolean
  /**
   * `tools/list` has this tool in place of those that code may call. They can be called by their names all the same.
   * For servers with hundreds of tools. Default false.
   */
  readonly only?: boolean
  /** How many calls one code may make, 1 to 10,000. Default 100. */
  readonly maxCalls?: number
  /** Processor time of one run of the code, in milliseconds, which the platform limits. Default 1,000. */
  readonly cpuMs?: number
  /** Timeout of one call in milliseconds, like that of any tool. Default: the limit `handlerTimeoutMs`. */
  readonly timeoutMs?: number
}

export type Code = Feature<'code', object, 'asks'>

const DEFAULT_LIMITS = { maxCalls: 100, cpuMs: 1_000 }
const MAXIMA = { maxCalls: 10_000, cpuMs: 300_000 }

/**
 * Adds a tool that runs code. Needs a binding of the kind `worker_loaders`.
 *
 * @throws {TypeError} for an invalid option
 */
export function code(options: CodeOptions = {}): Code {
  const settings = checkOptions(options)
  return createFeature('code', (app) => createParts(app, options, settings), [asks()])
}

type Settings = Omit<ExecuteOptions, 'hasTasks'>

function createParts(
  app: AppContext,
  { tools, only = false }: CodeOptions,
  settings: Settings,
): FeatureParts {
  const { name, binding, readOnly } = settings
  /** What clients see of the tools of all modules: it stays the same object when a definition is copied. */
  const inModule = new WeakSet<Tool>()
  const add = (definition: Definition): readonly ToolDefinition[] => {
    if (definition.handlers.has('tools/call')) {
      throw new TypeError(
        `code() adds the tool "${name}", which a server with its own handler of tools/call cannot have`,
      )
    }
    const module = moduleOf(definition, { tools, readOnly })
    if (module.size === 0) return []
    for (const { tool } of module.values()) inModule.add(tool.info)
    return [defineExecute(module, { ...settings, hasTasks: app.partsOf('tasks') !== undefined })]
  }
  // The tools of other features stay: `get_result` has the results of long calls.
  const viewOf = (definition: Definition): ListView<Tool> => {
    const all = [...definition.tools.values()]
    const hidden = new Set(
      all.filter(({ info }) => inModule.has(info)).map(({ info }) => info.name),
    )
    return {
      variantOf: () => 'code',
      listed: (tool) => (hidden.has(tool.name) ? undefined : tool),
    }
  }
  return {
    dispatch: { tools: { add, ...(only && { viewOf }) } },
    announced: { codeBinding: binding },
  }
}

function checkOptions(options: CodeOptions): Settings {
  const { name = 'execute', binding = 'LOADER', tools, readOnly = false, ...rest } = options
  const { only = false, timeoutMs, ...limits } = rest
  for (const [option, value] of Object.entries({ name, binding })) {
    if (typeof value !== 'string' || value === '') {
      throw new TypeError(`code({ ${option} }) must be a text with at least one character`)
    }
  }
  if (tools !== undefined && typeof tools !== 'function') {
    throw new TypeError('code({ tools }) must be a function that receives a tool')
  }
  for (const [option, value] of Object.entries({ readOnly, only })) {
    if (typeof value !== 'boolean') throw new TypeError(`code({ ${option} }) must be a boolean`)
  }
  const resolved = resolveLimits('code', DEFAULT_LIMITS, limits, MAXIMA)
  return { name, binding, readOnly, ...resolved, timeoutMs }
}
