/** Limits of clients on single tools. The list as a whole is valid here. */
import { type Detected, detected } from '../detected.ts'
import { isObject, jsonOf, quoted } from '../text.ts'
import { unresolvedReferences } from './references.ts'

const MAX_SCHEMA_BYTES = 16_384
const MAX_NAME_CHARACTERS = 64
/** With `mcp__SERVER__`, whose name has a character at least. */
const MAX_FULL_NAME_CHARACTERS = 128
const MIN_PREFIX = 'mcp__s__'.length
const MAX_NAMED = 3

const COMPOSITIONS = ['oneOf', 'anyOf']
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/

export function toolFaults(tools: readonly unknown[]): Detected[] {
  const named = tools.filter(isObject).map((tool) => ({
    name: String(tool.name),
    schema: isObject(tool.inputSchema) ? tool.inputSchema : {},
    schemaBytes: bytesOf(tool.inputSchema),
    output: isObject(tool.outputSchema) ? tool.outputSchema : undefined,
    references: [tool.inputSchema, tool.outputSchema].flatMap(unresolvedReferences),
  }))
  const names = named.map(({ name }) => name)
  const large = named.filter(({ schemaBytes }) => schemaBytes > MAX_SCHEMA_BYTES)
  const composed = named.filter(({ schema }) => COMPOSITIONS.some((key) => key in schema))
  const rootless = named.filter(({ output }) => output !== undefined && output.type !== 'object')
  const composedOutputs = named.filter(
    ({ output }) => output?.type === 'object' && COMPOSITIONS.some((key) => key in output),
  )
  const unresolved = named.filter(({ references }) => references.length > 0)
  const properties = named.flatMap(({ name, schema }) =>
    oddProperties(schema).map((property) => ({ name, property })),
  )
  const dropped = names.filter((name) => name.length > MAX_FULL_NAME_CHARACTERS - MIN_PREFIX)
  const long = names.filter((name) => name.length > MAX_NAME_CHARACTERS && !dropped.includes(name))
  const odd = names.filter((name) => !/^[A-Za-z0-9_-]+$/.test(name))
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return [
    ...found(
      'tool-schema-too-large',
      large,
      ({ name, schemaBytes }) => `${quoted(name)} has an inputSchema ${sizeText(schemaBytes)}`,
    ),
    ...found('tool-schema-composed', composed, ({ name }) => quoted(name)),
    ...found(
      'tool-output-not-object',
      rootless,
      ({ name, output }) => `${quoted(name)} has the outputSchema ${quoted(output)}`,
    ),
    ...found('tool-output-composed', composedOutputs, ({ name }) => quoted(name)),
    ...found(
      'tool-schema-reference',
      unresolved,
      ({ name, references }) => `${quoted(name)} has the $ref ${quoted(references[0])}`,
    ),
    ...found(
      'tool-property-names',
      properties,
      ({ name, property }) => `${quoted(property)} of ${quoted(name)}`,
    ),
    ...found(
      'tool-name-dropped',
      dropped,
      (name) => `${quoted(name)} has ${name.length} characters`,
    ),
    ...found('tool-name-too-long', long, (name) => `${quoted(name)} has ${name.length} characters`),
    ...found('tool-name-characters', odd, (name) => quoted(name)),
    ...found('tool-name-repeated', [...new Set(repeated)], (name) => quoted(name)),
  ]
}

/** Infinite for a schema that is nested too deeply. */
function bytesOf(schema: unknown): number {
  const text = schema === undefined ? '' : jsonOf(schema)
  return text === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(text)
}

const sizeText = (bytes: number) =>
  Number.isFinite(bytes) ? `of ${bytes} bytes` : 'that is nested too deeply'

function oddProperties({ properties }: Readonly<Record<string, unknown>>): readonly string[] {
  const names = isObject(properties) ? Object.keys(properties) : []
  return names.filter((name) => !PROPERTY_NAME.test(name))
}

/** One finding for all tools with the same defect. */
function found<T>(
  code: Detected['code'],
  tools: readonly T[],
  text: (tool: T) => string,
): Detected[] {
  if (tools.length === 0) return []
  const more = tools.length > MAX_NAMED ? ` and ${tools.length - MAX_NAMED} more` : ''
  return [detected(code, `Tools: ${tools.slice(0, MAX_NAMED).map(text).join(', ')}${more}`)]
}
