/** A tool's registration, checked and compiled. */
import type { JsonSchema } from '../../protocol/content.ts'
import type { ToolDefinition } from '../definition.ts'
import { type CompiledSchema, compileSchema } from '../schema/compile.ts'
import { ParamHeaderCollector } from '../schema/param-headers.ts'
import { isStandardSchema, type Schema } from '../schema/standard-schema.ts'
import type { ToolConfig } from '../tool.ts'
import { checkConfig, checkName, defined } from './checks.ts'

/** What a tool without arguments says; some clients send a dummy argument all the same. */
const NO_ARGUMENTS: JsonSchema = Object.freeze({ type: 'object', properties: {} })

/** @throws {TypeError} naming the tool and the fault */
export function defineTool(
  name: string,
  config: ToolConfig,
  handler: (...args: never[]) => unknown,
): ToolDefinition {
  checkName('Tool', name)
  const subject = `Tool "${name}"`
  checkConfig(subject, config, handler)
  const { inputSchema, outputSchema, timeoutMs, scopes = [], visible } = config
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new TypeError(`${subject}: timeoutMs must be above 0`)
  }
  const collector = new ParamHeaderCollector()
  const input = within(`${subject}: inputSchema`, () => compileInput(inputSchema, collector))
  const output = within(`${subject}: outputSchema`, () => compileOutput(outputSchema))
  const { title, description, annotations, icons, _meta } = config
  const run = handler as (...args: unknown[]) => unknown
  return {
    info: defined({
      name,
      title,
      description,
      inputSchema: input?.json ?? NO_ARGUMENTS,
      outputSchema: output?.json,
      annotations,
      icons,
      _meta,
    }),
    input,
    output,
    paramHeaders: collector.headers,
    timeoutMs,
    singleUse: config.singleUse === true,
    scopes: [...scopes],
    visible,
    run: input === undefined ? (_, ctx) => run(ctx) : (args, ctx) => run(args, ctx),
  }
}

function within<T>(place: string, compile: () => T): T {
  try {
    return compile()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new TypeError(`${place}: ${cause.message}`, { cause })
  }
}

function compileInput(
  schema: Schema | undefined,
  collector: ParamHeaderCollector,
): CompiledSchema | undefined {
  if (schema === undefined) return undefined
  const compiled = compileSchema(schema, 'input', (at, path) => collector.visit(at, path))
  const { type } = compiled.json
  if (type === 'object') return compiled
  // A union of objects is converted to `anyOf` without a type; arguments are an object all the same.
  if (type === undefined && isStandardSchema(schema)) {
    return { ...compiled, json: { type: 'object', ...compiled.json } }
  }
  throw new TypeError('the root must have type "object": arguments are always an object')
}

/** Member that tells a whole result from a value; see `../../dispatch/tool-result.ts`. */
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
    throw new TypeError(`a property named "${RESERVED}" could not be told from a whole result`)
  }
  return compiled
}
