/** Limits of clients on single tools. The list as a whole is valid here. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import type { Members } from '../../../../text/src/json/members.ts'
import { firstOf, quoted, textOf } from '../../../../text/src/quoted.ts'
import { repeatedIn } from '../../../../text/src/repeated-in.ts'
import { type Detected, detected } from '../detected.ts'
import { invalidKeyword, uncompilableKeyword } from './invalid-schema.ts'
import { unresolvedReferences } from './references.ts'
import { isComposed, MAX_SCHEMA_BYTES, sizeOf, sizeText } from './schema-limits.ts'
import { unportableKeywords } from './unportable-keywords.ts'

const MAX_NAME_CHARACTERS = 64
/** With `mcp__SERVER__` 128 characters; the name of a server has a character at least. */
const MAX_NAME_CHARACTERS_WITH_PREFIX = 128 - 'mcp__s__'.length

const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/

type Tool = ReturnType<typeof toolOf>

const when = (isWrong: boolean, text: string) => (isWrong ? [text] : [])

/** The names or the details of the defects of a tool. */
const DEFECTS: Readonly<Partial<Record<Detected['code'], (tool: Tool) => string[]>>> = {
  'tool-schema-too-large': ({ shown, bytes }) =>
    when(bytes > MAX_SCHEMA_BYTES, `${shown} has an inputSchema ${sizeText(bytes)}`),
  'tool-schema-invalid': ({ shown, input }) => {
    const seen = invalidKeyword(input)
    return when(seen !== undefined, `the inputSchema of ${shown} has ${seen}`)
  },
  'tool-output-invalid': ({ shown, output }) => {
    const [reference] = unresolvedReferences(output)
    const lost = reference === undefined ? undefined : `the $ref ${quoted(reference)}`
    const seen = uncompilableKeyword(output) ?? lost
    return when(seen !== undefined, `the outputSchema of ${shown} has ${seen}`)
  },
  'tool-schema-composed': ({ shown, input }) => when(isComposed(input), shown),
  'tool-output-not-object': ({ shown, output }) =>
    when(
      output !== undefined && output.type !== 'object',
      `${shown} has the outputSchema ${quoted(output)}`,
    ),
  'tool-output-composed': ({ shown, output }) =>
    when(output?.type === 'object' && isComposed(output), shown),
  'tool-schema-reference': ({ shown, input }) =>
    unresolvedReferences(input)
      .slice(0, 1)
      .map((reference) => `${shown} has the $ref ${quoted(reference)}`),
  // An invalid schema is a finding of its own.
  'tool-schema-unportable': ({ shown, input }) =>
    invalidKeyword(input) === undefined
      ? unportableKeywords(input).map((seen) => `the inputSchema of ${shown} has ${seen}`)
      : [],
  'tool-property-names': ({ shown, input: { properties } }) =>
    Object.keys(isJsonObject(properties) ? properties : {})
      .filter((property) => !PROPERTY_NAME.test(property))
      .map((property) => `${quoted(property)} of ${shown}`),
  'tool-name-dropped': ({ shown, name: { length } }) =>
    when(length > MAX_NAME_CHARACTERS_WITH_PREFIX, `${shown} has ${length} characters`),
  'tool-name-too-long': ({ shown, name: { length } }) =>
    when(
      length > MAX_NAME_CHARACTERS && length <= MAX_NAME_CHARACTERS_WITH_PREFIX,
      `${shown} has ${length} characters`,
    ),
  'tool-name-characters': ({ shown, name }) => when(!/^[A-Za-z0-9_-]+$/.test(name), shown),
}

/** One finding for all tools with the same defect. */
export function toolFaults(tools: readonly unknown[]): Detected[] {
  const all = tools.filter(isJsonObject).map(toolOf)
  const found = Object.entries(DEFECTS).map(
    ([code, defectsOf]) => [code as Detected['code'], all.flatMap(defectsOf)] as const,
  )
  const repeated = repeatedIn(all.map(({ name }) => name)).map(quoted)
  return [...found, ['tool-name-repeated', repeated] as const]
    .filter(([, texts]) => texts.length > 0)
    .map(([code, texts]) => detected(code, `Tools: ${firstOf(texts)}`))
}

function toolOf({ name, inputSchema, outputSchema }: Members) {
  return {
    name: textOf(name),
    shown: quoted(textOf(name)),
    input: isJsonObject(inputSchema) ? inputSchema : {},
    bytes: sizeOf(inputSchema),
    output: isJsonObject(outputSchema) ? outputSchema : undefined,
  }
}
