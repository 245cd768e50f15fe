/** Declares tools in TypeScript, by their JSON Schemas. Bounded: a schema may refer to itself, and a description is long. */
import { targetOf } from '../../../../src/internal.ts'
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { ModuleTool } from './module-names.ts'

/** Nesting of one type. What is deeper is `unknown`. */
const MAX_DEPTH = 8

/** UTF-16 code units of the types of one declaration. What comes after them is `unknown`. */
const MAX_TYPE_LENGTH = 6_000

const LEAST_LENGTH = 4

const MAX_ALTERNATIVES = 30
const MAX_COMMENT_LENGTH = 400
const MAX_NOTE_LENGTH = 120

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The declaration of one tool, with its description. */
export function declarationOf({ identifier, tool: { info } }: ModuleTool): string {
  const { name, title, description, inputSchema, outputSchema } = info
  const about = [description ?? title, identifier === name ? undefined : `Tool "${name}".`]
  const comment = about.filter((part) => part !== undefined).join(' ')
  const args = hasArguments(inputSchema)
    ? `args${hasRequired(inputSchema) ? '' : '?'}: ${typeText(inputSchema)}`
    : ''
  const output = outputSchema === undefined ? 'unknown' : typeText(outputSchema)
  const declared = `${identifier}(${args}): Promise<${output}>`
  return comment === '' ? declared : `${commentOf(comment, MAX_COMMENT_LENGTH)}\n${declared}`
}

/** The names of the arguments in one line. */
export function signatureOf({ identifier, tool: { info } }: ModuleTool): string {
  const { properties, required } = info.inputSchema
  const names = Object.keys(isJsonObject(properties) ? properties : {})
  const needed = new Set(Array.isArray(required) ? required : [])
  const args = names.map((name) => `${keyOf(name)}${needed.has(name) ? '' : '?'}`).join(', ')
  return `${identifier}(${args === '' ? '' : `{ ${args} }`})`
}

/** The type of the values of a schema. */
export function typeText(schema: JsonSchema, maxLength = MAX_TYPE_LENGTH): string {
  return new TypeWriter(schema, maxLength).of(schema, 0)
}

const hasRequired = ({ required }: JsonSchema) => Array.isArray(required) && required.length > 0

/** A tool without arguments has an object without properties. */
const hasArguments = ({ properties, ...others }: JsonSchema) =>
  Object.keys(isJsonObject(properties) ? properties : {}).length > 0 ||
  Object.keys(others).some((keyword) => keyword !== 'type')

const keyOf = (name: string) => (IDENTIFIER.test(name) ? name : JSON.stringify(name))

function commentOf(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim().replaceAll('*/', '*\\/')
  return `/** ${line.length > max ? `${line.slice(0, max)}…` : line} */`
}

class TypeWriter {
  readonly #root: JsonSchema
  /** The references that are being written. */
  readonly #open = new Set<string>()
  #left: number

  constructor(root: JsonSchema, maxLength: number) {
    this.#root = root
    this.#left = maxLength
  }

  of(schema: unknown, depth: number): string {
    if (schema === false) return 'never'
    // Alternatives without a text of their own must end too.
    this.#left -= LEAST_LENGTH
    if (!isJsonObject(schema) || depth > MAX_DEPTH || this.#left <= 0) return 'unknown'
    const type = this.#typeOf(schema, depth)
    return schema.nullable === true ? `${type} | null` : type
  }

  #typeOf(schema: JsonSchema, depth: number): string {
    const { $ref, enum: values, anyOf, oneOf, allOf, type } = schema
    if (typeof $ref === 'string') return this.#reference($ref, depth)
    if (schema.const !== undefined) return this.#spent(literal(schema.const))
    if (Array.isArray(values)) return this.#spent(joined(values.map(literal), ' | '))
    const alternatives = anyOf ?? oneOf
    if (Array.isArray(alternatives)) {
      return joined(
        alternatives.slice(0, MAX_ALTERNATIVES).map((each) => this.of(each, depth + 1)),
        ' | ',
      )
    }
    if (Array.isArray(allOf)) {
      const parts = [...allOf, ...(schema.properties ? [{ ...schema, allOf: undefined }] : [])]
      return joined(
        parts.map((each) => grouped(this.of(each, depth + 1))),
        ' & ',
      )
    }
    if (Array.isArray(type)) {
      return joined(
        type.map((each) => this.of({ ...schema, type: each }, depth)),
        ' | ',
      )
    }
    if (typeof type === 'string' && Object.hasOwn(PRIMITIVES, type)) {
      return this.#spent(PRIMITIVES[type] ?? 'unknown')
    }
    if (type === 'array') return this.#array(schema, depth)
    if (type === 'object' || isJsonObject(schema.properties)) return this.#object(schema, depth)
    return this.#spent('unknown')
  }

  #array({ items, prefixItems }: JsonSchema, depth: number): string {
    const tuple = Array.isArray(prefixItems) ? prefixItems : items
    if (Array.isArray(tuple)) return `[${tuple.map((each) => this.of(each, depth + 1)).join(', ')}]`
    return `${grouped(this.of(items, depth + 1))}[]`
  }

  #object({ properties, required, additionalProperties }: JsonSchema, depth: number): string {
    const needed = new Set(Array.isArray(required) ? required : [])
    const members: string[] = []
    for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {})) {
      if (this.#left <= 0) {
        members.push('[more: string]: unknown')
        break
      }
      const note = isJsonObject(property) ? property.description : undefined
      const about =
        typeof note === 'string' && note !== ''
          ? `${this.#spent(commentOf(note, MAX_NOTE_LENGTH))} `
          : ''
      const key = this.#spent(`${keyOf(name)}${needed.has(name) ? '' : '?'}`)
      members.push(`${about}${key}: ${this.of(property, depth + 1)}`)
    }
    const rest = isJsonObject(additionalProperties)
      ? this.of(additionalProperties, depth + 1)
      : undefined
    if (rest !== undefined && members.length === 0) return `Record<string, ${rest}>`
    if (members.length === 0) {
      return additionalProperties === false ? '{}' : 'Record<string, unknown>'
    }
    return `{ ${members.join('; ')}${rest === undefined ? '' : `; [key: string]: ${rest}`} }`
  }

  #reference(ref: string, depth: number): string {
    if (this.#open.has(ref)) return 'unknown'
    const target = targetOf(this.#root, ref)
    this.#open.add(ref)
    const type = this.of(target, depth + 1)
    this.#open.delete(ref)
    return type
  }

  #spent(text: string): string {
    this.#left -= text.length
    return text
  }
}

function literal(value: unknown): string {
  const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value)
  return isPlain ? JSON.stringify(value) : 'unknown'
}

function joined(types: readonly string[], separator: string): string {
  const unique = [...new Set(types)]
  const shown = unique.slice(0, MAX_ALTERNATIVES)
  if (unique.length > shown.length) shown.push(separator === ' | ' ? 'string' : 'unknown')
  return shown.length === 0 ? 'never' : shown.join(separator)
}

const grouped = (type: string) => (/ [|&] /.test(type) && !/^[{[]/.test(type) ? `(${type})` : type)
