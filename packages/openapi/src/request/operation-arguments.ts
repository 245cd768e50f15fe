/** The arguments of a tool: their names, and the input schema. */
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { toArgumentName, uniqueName } from '../document/tool-names.ts'
import type {
  ConvertedSchema,
  SchemaConverter,
  SchemaDefinition,
} from '../schema/schema-converter.ts'
import type { Parameter } from './parameter.ts'
import { isAbsent } from './parameter-style.ts'
import type { RequestBody } from './request-body.ts'

/** The argument of the request body. */
export const BODY_ARGUMENT = 'body'

/** Maximum length of the description of one argument, in UTF-16 code units. */
const MAX_ARGUMENT_DESCRIPTION = 1_000

export interface ArgumentOfParameter {
  readonly argument: string
  readonly parameter: Parameter
}

/**
 * Names the arguments. A parameter is the argument of its name; where parameters of several places have
 * one name, or one has the name of the body, each is named with its place: `id_path`, `id_query`.
 */
export function nameArguments(
  parameters: readonly Parameter[],
  hasBody: boolean,
): ArgumentOfParameter[] {
  const names = parameters.map(({ name }) => toArgumentName(name))
  const used = new Set(hasBody ? [BODY_ARGUMENT] : [])
  return parameters.map((parameter, index) => {
    const name = names[index] ?? parameter.name
    const isShared = names.filter((other) => other === name).length > 1 || used.has(name)
    const argument = uniqueName(isShared ? `${name}_${parameter.in}` : name, (one) => used.has(one))
    used.add(argument)
    return { argument, parameter }
  })
}

export interface DescribedArguments extends ConvertedSchema {
  /** The defaults of required parameters, which a call need not give. */
  readonly defaults: Readonly<Record<string, unknown>>
}

/** Returns the object schema of the arguments, without the definitions that it uses. */
export function describeArguments(
  converter: SchemaConverter,
  parameters: readonly ArgumentOfParameter[],
  body: RequestBody | undefined,
): DescribedArguments {
  const uses = new Set<SchemaDefinition>()
  const properties: [string, JsonSchema | boolean][] = []
  const required: string[] = []
  const defaults: [string, unknown][] = []
  for (const { argument, parameter } of parameters) {
    const { schema, uses: used } = converter.convert(parameter.schema)
    for (const definition of used) uses.add(definition)
    properties.push([argument, describeParameter(parameter, schema)])
    const own = typeof schema === 'boolean' ? undefined : schema.default
    const fallback = [own, parameter.core.default].find((value) => isSent(parameter, value))
    if (parameter.required && fallback === undefined) required.push(argument)
    if (parameter.required && fallback !== undefined) defaults.push([argument, fallback])
  }
  if (body !== undefined) {
    for (const definition of body.uses) uses.add(definition)
    properties.push([BODY_ARGUMENT, body.schema])
    if (body.required) required.push(BODY_ARGUMENT)
  }
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? undefined : { required }),
    // Some clients send an argument to a tool that has none.
    ...(properties.length === 0 ? undefined : { additionalProperties: false }),
  }
  return { schema, uses, defaults: Object.fromEntries(defaults) }
}

/** Whether a default becomes a part of the request: `null` and an empty list do not, and a path has no empty part. */
function isSent({ in: place, mediaType }: Parameter, value: unknown): boolean {
  if (mediaType !== undefined) return value !== undefined
  return !isAbsent(value) && (place !== 'path' || value !== '')
}

function describeParameter(parameter: Parameter, schema: JsonSchema | boolean): JsonSchema {
  const { description, deprecated, example } = parameter
  const known = typeof schema === 'boolean' ? {} : schema
  const text = description ?? known.description
  return {
    ...known,
    ...(typeof text === 'string'
      ? { description: cut(text, MAX_ARGUMENT_DESCRIPTION) }
      : undefined),
    ...(deprecated ? { deprecated } : undefined),
    ...(example === undefined || known.examples !== undefined
      ? undefined
      : { examples: [example as string] }),
  }
}

/** Shortens a text. */
export function cut(text: string, maxLength: number): string {
  const trimmed = text.trim()
  return trimmed.length > maxLength ? `${trimmed.slice(0, maxLength - 1)}…`.toWellFormed() : trimmed
}
