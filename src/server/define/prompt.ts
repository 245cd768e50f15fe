/** Checks and compiles the registration of a prompt. */
import { isJsonObject } from '../../protocol/json.ts'
import type { PromptArgument } from '../../protocol/primitives.ts'
import { type Complete, completionOf } from '../completion.ts'
import type { PromptDefinition } from '../definition.ts'
import type { AnyPromptConfig } from '../prompt.ts'
import { type CompiledSchema, compileSchema } from '../schema/compile.ts'
import { isShape } from '../schema/shape.ts'
import type { StandardSchema } from '../schema/standard-schema.ts'
import { accessOf, checkConfig, checkName, defined, locate } from './checks.ts'

/** @throws {TypeError} that names the prompt and the fault */
export function definePrompt(
  name: string,
  config: AnyPromptConfig,
  handler: (...args: never[]) => unknown,
): PromptDefinition {
  checkName('Prompt', name)
  const subject = `Prompt "${name}"`
  checkConfig(subject, config, handler)
  const { title, description, argsSchema, icons, _meta } = config
  const [input, args] = locate(`${subject}: argsSchema`, () => {
    const compiled = argsSchema && compileSchema(argsSchema, 'input')
    return [compiled, compiled && promptArguments(compiled)] as const
  })
  const run = handler as (...args: unknown[]) => unknown
  return {
    info: defined({ name, title, description, arguments: args, icons, _meta }),
    input,
    complete: completions(subject, config, args ?? []),
    ...accessOf(config),
    run: input === undefined ? (_, ctx) => run(ctx) : (values, ctx) => run(values, ctx),
  }
}

function promptArguments({ json }: CompiledSchema): PromptArgument[] {
  const { properties = {}, required = [] } = json
  if (json.type !== 'object' || !isJsonObject(properties)) {
    throw new TypeError('the root must be an object schema')
  }
  return Object.entries(properties).map(([name, property]): PromptArgument => {
    const { type, title, description } = isJsonObject(property) ? property : {}
    if (type !== undefined && type !== 'string') {
      throw new TypeError(
        `argument "${name}" must accept strings: the protocol has no other type of prompt argument`,
      )
    }
    return defined({
      name,
      title: typeof title === 'string' ? title : undefined,
      description: typeof description === 'string' ? description : undefined,
      // Explicit for an optional one: the official SDK sends it, and clients may read it.
      required: Array.isArray(required) && required.includes(name),
    })
  })
}

/** Collects the completions of `completable` properties and of `complete`. */
function completions(
  subject: string,
  { argsSchema, complete = {} }: AnyPromptConfig,
  args: readonly PromptArgument[],
): ReadonlyMap<string, Complete> {
  const shape = argsSchema === undefined || isShape(argsSchema) ? argsSchema : shapeOf(argsSchema)
  const found = new Map<string, Complete>()
  for (const { name } of args) {
    const own = isJsonObject(shape) ? completionOf(shape[name]) : undefined
    if (own !== undefined) found.set(name, own)
  }
  for (const [name, callback] of Object.entries(complete)) {
    if (!args.some((argument) => argument.name === name)) {
      throw new TypeError(
        `${subject}: complete names "${name}", but the prompt has no such argument`,
      )
    }
    found.set(name, callback as Complete)
  }
  return found
}

/** The shape of a zod object schema. */
function shapeOf(schema: StandardSchema): unknown {
  return Reflect.get(schema, 'shape')
}
