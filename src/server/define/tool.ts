/** Checks and compiles the registration of a tool. */

import type { JsonSchema, Meta } from '../../protocol/content.ts'
import { ALWAYS_LOAD } from '../../protocol/host-keys.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { excerpt } from '../../protocol/protocol-error.ts'
import type { DefinitionWarning, ToolDefinition } from '../definition.ts'
import { DEFINE_FILES, type FileArguments } from '../file.ts'
import type { JobHandler } from '../job.ts'
import { type CompiledSchema, compileSchema } from '../schema/compile.ts'
import { ParamHeaderCollector } from '../schema/param-headers.ts'
import type { Schema } from '../schema/standard-schema.ts'
import type { AnyToolConfig } from '../tool.ts'
import { DEFINE, type View } from '../view.ts'
import { accessOf, checkConfig, checkName, defined, locate } from './checks.ts'
import { defineDeprecated } from './deprecated.ts'
import { checkJobTask, defineTask } from './task.ts'

/** The input schema of a tool without arguments. It accepts the dummy argument that some clients send. */
const NO_ARGUMENTS: JsonSchema = Object.freeze({ type: 'object', properties: {} })

/** @throws {TypeError} that names the tool and the fault */
export function defineTool(
  name: string,
  config: AnyToolConfig,
  handler: ((...args: never[]) => unknown) | JobHandler<never, unknown, never, never>,
): ToolDefinition {
  checkName('Tool', name)
  const subject = `Tool "${name}"`
  const job = typeof handler === 'object' ? (handler as ToolDefinition['job']) : undefined
  checkConfig(subject, config, job === undefined ? handler : job?.run)
  const { inputSchema, outputSchema, timeoutMs, limitClass, throughModel, connection } = config
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new TypeError(`${subject}: timeoutMs must be greater than 0`)
  }
  if (limitClass !== undefined && typeof limitClass !== 'string') {
    throw new TypeError(`${subject}: limitClass must be the name of a class of rateLimits`)
  }
  if (connection !== undefined && (typeof connection !== 'string' || connection === '')) {
    throw new TypeError(`${subject}: connection must be a name in connections({ … })`)
  }
  for (const name of ['alwaysLoad', 'throughModel'] as const) {
    if (typeof (config[name] ?? false) !== 'boolean') {
      throw new TypeError(`${subject}: ${name} must be true or false`)
    }
  }
  const collector = new ParamHeaderCollector()
  const input = locate(`${subject}: inputSchema`, () => compileInput(inputSchema, collector))
  const output = locate(`${subject}: outputSchema`, () => compileOutput(outputSchema))
  const { title, description, annotations, icons, files } = config
  if (files !== undefined && typeof files !== 'boolean' && typeof files !== 'object') {
    throw new TypeError(`${subject}: files must be true, or { name: file({ … }) }`)
  }
  const run = (job?.run ?? handler) as (...args: unknown[]) => unknown
  const task = defineTask(subject, config.task ?? (job && 'required'))
  if (job !== undefined) checkJobTask(subject, task)
  const tool: ToolDefinition = {
    info: defined({
      name,
      title,
      description,
      inputSchema: input?.json ?? NO_ARGUMENTS,
      outputSchema: output?.json,
      annotations,
      icons,
      execution: task && { taskSupport: task.support },
      _meta: metaOf(subject, config),
    }),
    input,
    output,
    paramHeaders: collector.headers,
    timeoutMs,
    singleUse: config.singleUse === true,
    ...(throughModel !== undefined && { throughModel }),
    files: Boolean(config.files),
    limitClass,
    ...(connection !== undefined && { connection, takesAccount: !hasProperty(input, 'account') }),
    ...(config.tags && { tags: config.tags }),
    deprecated: defineDeprecated(subject, config.deprecated),
    task,
    job,
    ...accessOf(config),
    run:
      input !== undefined || job !== undefined
        ? (args, ctx) => run(input && args, ctx)
        : (_, ctx) => run(ctx),
  }
  return typeof config.files === 'object' ? withFiles(subject, config.files, tool) : tool
}

const hasProperty = (input: CompiledSchema | undefined, name: string) =>
  isJsonObject(input?.json.properties) && Object.hasOwn(input.json.properties, name)

function metaOf(subject: string, { ui, _meta, alwaysLoad }: AnyToolConfig): Meta | undefined {
  const own = alwaysLoad ? { ...ALWAYS_LOAD, ..._meta } : _meta
  return ui === undefined ? own : viewOf(subject, ui).meta(subject, own)
}

/** @throws {TypeError} for anything but values of `file()` */
function withFiles(subject: string, files: FileArguments, tool: ToolDefinition): ToolDefinition {
  const [define] = Object.values(files ?? {}).map((file) => file?.[DEFINE_FILES])
  if (define === undefined) {
    throw new TypeError(`${subject}: files must be true, or { name: file({ … }) }`)
  }
  return define(subject, files, tool)
}

/** @throws {TypeError} for anything but the value of `view()` */
function viewOf(subject: string, ui: View<never, never>): View[typeof DEFINE] {
  const defined = ui?.[DEFINE]
  if (defined === undefined) throw new TypeError(`${subject}: ui must be the value of view({ … })`)
  return defined
}

function compileInput(
  schema: Schema | undefined,
  collector: ParamHeaderCollector,
): CompiledSchema | undefined {
  if (schema === undefined) return undefined
  const compiled = compileSchema(schema, 'input', (at, path) => collector.visit(at, path))
  const { type } = compiled.json
  if (type === 'object') return compiled
  // Schema libraries convert a union of objects to `anyOf` without a type.
  if (type === undefined && !compiled.isRaw) {
    return { ...compiled, json: { type: 'object', ...compiled.json } }
  }
  throw new TypeError('the root must have type "object": arguments are always an object')
}

/** The member that distinguishes a whole result from a value; see `../../dispatch/tool-result.ts`. */
const RESERVED = 'structuredContent'

function compileOutput(schema: Schema | undefined): CompiledSchema | undefined {
  if (schema === undefined) return undefined
  const compiled = compileSchema(schema, 'output')
  const { properties } = compiled.json
  if (
    typeof properties === 'object' &&
    properties !== null &&
    Object.hasOwn(properties, RESERVED)
  ) {
    throw new TypeError(
      `a property named "${RESERVED}" cannot be distinguished from a whole result: rename it`,
    )
  }
  return compiled
}

/** Some hosted clients silently drop a tool with a longer input schema (UTF-16 code units of JSON). */
const LONGEST_PORTABLE_SCHEMA = 16_384
const LONGEST_PORTABLE_NAME = 64

/** The names of arguments that the interfaces of OpenAI and Anthropic accept. */
const PORTABLE_ARGUMENT = /^[\w.-]{1,64}$/

/** What some clients do not accept. */
export function portabilityWarnings({ info }: ToolDefinition): readonly DefinitionWarning[] {
  const { name, inputSchema } = info
  const { length } = JSON.stringify(inputSchema)
  const messages = Object.keys(inputSchema.properties ?? {})
    .filter((argument) => !PORTABLE_ARGUMENT.test(argument))
    .map(
      (argument) =>
        `hosts refuse every request with the argument "${excerpt(argument)}": name it with 1 to 64 of A-Z a-z 0-9 _ . -`,
    )
  if (length > LONGEST_PORTABLE_SCHEMA) {
    messages.push(
      `inputSchema is ${length} characters; some clients drop a tool above ${LONGEST_PORTABLE_SCHEMA}`,
    )
  }
  if (name.length > LONGEST_PORTABLE_NAME) {
    messages.push(`the name is longer than ${LONGEST_PORTABLE_NAME}; some clients drop it`)
  }
  return messages.map((message) => ({ subject: `Tool "${name}"`, message }))
}
