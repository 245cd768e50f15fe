/**
 * Multiple choices of a form as boolean fields, one for each choice: forms of revisions before 2025-11-25 have
 * no lists. The names of the fields contain the choices, so an answer needs no record of its question.
 */
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

type Fields = Readonly<Record<string, JsonValue | undefined>>

type Entry = [string, JsonValue | undefined]

interface Choice {
  /** The name of its boolean field. */
  readonly name: string
  readonly value: string
  readonly title: string
}

/** The choices of a field; undefined for a field that is no list. */
function choicesOf(name: string, field: JsonValue | undefined): readonly Choice[] | undefined {
  if (!isJsonObject(field) || field.type !== 'array' || !isJsonObject(field.items)) return undefined
  const { enum: values, anyOf } = field.items
  const titled = Array.isArray(anyOf) ? (anyOf as readonly JsonValue[]).filter(isJsonObject) : []
  const pairs = Array.isArray(values)
    ? (values as readonly JsonValue[]).map((value) => [String(value), String(value)] as const)
    : titled.map(({ const: value, title }) => [String(value), String(title ?? value)] as const)
  return pairs.map(([value, title]) => ({ name: `${name}[${value}]`, value, title }))
}

/** Replaces the lists of a form by their boolean fields. A required list makes its fields required. */
export function splitLists(schema: JsonObject, properties: JsonObject): JsonObject {
  const split = Object.entries(properties).flatMap(([name, field]): Entry[] => {
    const choices = choicesOf(name, field)
    return choices === undefined ? [[name, field]] : splitField(name, field, choices)
  })
  const required = Array.isArray(schema.required) ? (schema.required as readonly string[]) : []
  const names = required.flatMap(
    (name) => choicesOf(name, properties[name])?.map((choice) => choice.name) ?? [name],
  )
  return {
    ...schema,
    properties: Object.fromEntries(split),
    ...(names.length > 0 ? { required: names } : undefined),
  }
}

function splitField(
  name: string,
  field: JsonValue | undefined,
  choices: readonly Choice[],
): Entry[] {
  const { title, description, default: chosen, minItems, maxItems } = field as JsonObject
  const bounds = [
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ]
  const text = [
    ...(description === undefined ? [] : [description]),
    ...(bounds.length === 0 ? [] : [`(choose ${bounds.join(', ')})`]),
  ].join(' ')
  return choices.map((choice, index) => [
    choice.name,
    {
      type: 'boolean',
      title: `${title ?? name}: ${choice.title}`,
      ...(index === 0 && text !== '' ? { description: text } : undefined),
      ...(Array.isArray(chosen) ? { default: chosen.includes(choice.value) } : undefined),
    },
  ])
}

/**
 * Returns the content of an answer with its lists. A list that the content has already is left as it is.
 * Nothing chosen is an empty list, or no list where it is optional and must not be empty.
 *
 * @returns the name of a boolean field with another value
 */
export function joinLists(content: Fields, schema: JsonObject): Fields | string {
  if (!isJsonObject(schema.properties)) return content
  const joined = new Map(Object.entries(content))
  for (const [name, field] of Object.entries(schema.properties)) {
    const choices = choicesOf(name, field) ?? []
    const sent = choices.filter((choice) => Object.hasOwn(content, choice.name))
    if (sent.length === 0 || joined.has(name)) continue
    const odd = sent.find((choice) => typeof content[choice.name] !== 'boolean')
    if (odd !== undefined) return odd.name
    const chosen = sent.filter((choice) => content[choice.name]).map(({ value }) => value)
    const isRequired = Array.isArray(schema.required) && schema.required.includes(name)
    const { minItems = 0 } = field as JsonObject
    if (chosen.length > 0 || isRequired || minItems === 0) joined.set(name, chosen)
  }
  return Object.fromEntries(joined)
}
