/** Decides from a JSON Schema which control asks for a value. Pure. */
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { targetOf } from '../../../../src/server/schema/json-pointer.ts'
import { arrayOf, type Json, numberOf, recordOf, type Schema, textOf } from './schema.ts'

export interface Choice {
  readonly label: string
  readonly value: Json
}

export interface Member {
  readonly name: string
  readonly isRequired: boolean
  readonly plan: Plan
}

type Kind =
  | {
      readonly kind: 'text'
      readonly format: string | undefined
      readonly minLength: number | undefined
      readonly maxLength: number | undefined
      readonly pattern: string | undefined
    }
  | {
      readonly kind: 'number'
      readonly isInteger: boolean
      readonly minimum: number | undefined
      readonly maximum: number | undefined
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  | ({ readonly kind: 'choices'; readonly choices: readonly Choice[] } & ListBounds)
  | ({ readonly kind: 'list'; readonly item: Plan } & ListBounds)
  | { readonly kind: 'group'; readonly members: readonly Member[] }
  | { readonly kind: 'variants'; readonly variants: readonly Plan[] }
  /** A schema that no other control covers. */
  | { readonly kind: 'json' }

interface ListBounds {
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
}

export type Plan = {
  readonly title: string | undefined
  readonly description: string | undefined
  readonly initial: Json | undefined
} & Kind

/** A deeper part, also of a schema that contains itself, is entered as JSON. */
const MAX_DEPTH = 6

/** @param root the document in which references are resolved */
export function planOf(schema: Schema, root: Schema = schema, depth = 0): Plan {
  const resolved = resolve(schema, root)
  return {
    title: textOf(resolved.title),
    description: textOf(resolved.description),
    initial: resolved.default as Json | undefined,
    ...(depth > MAX_DEPTH ? { kind: 'json' } : kindOf(resolved, root, depth)),
  }
}

function kindOf(schema: Schema, root: Schema, depth: number): Kind {
  const choices = choicesOf(schema)
  if (choices !== undefined) return { kind: 'choice', choices }
  const parts = arrayOf(schema.oneOf) ?? arrayOf(schema.anyOf) ?? typesOf(schema)
  if (parts !== undefined && parts.length > 0) {
    const { oneOf: _, anyOf: __, title: ___, description: ____, default: _____, ...rest } = schema
    const variants = parts.map((part) => {
      const own = resolve(recordOf(part) ?? {}, root)
      return planOf({ ...rest, ...own, ...joined(rest, own) }, root, depth + 1)
    })
    return { kind: 'variants', variants }
  }
  if (schema.allOf !== undefined || schema.not !== undefined) return { kind: 'json' }
  switch (schema.type) {
    case 'string':
      return {
        kind: 'text',
        format: textOf(schema.format),
        minLength: numberOf(schema.minLength),
        maxLength: numberOf(schema.maxLength),
        pattern: textOf(schema.pattern),
      }
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        isInteger: schema.type === 'integer',
        minimum: numberOf(schema.minimum),
        maximum: numberOf(schema.maximum),
      }
    case 'boolean':
      return { kind: 'boolean' }
    case 'null':
      return { kind: 'choice', choices: [{ label: 'null', value: null }] }
    case 'array':
      return listOf(schema, root, depth)
    default:
      return groupOf(schema, root, depth)
  }
}

function listOf(schema: Schema, root: Schema, depth: number): Kind {
  const item = recordOf(schema.items)
  if (item === undefined || schema.prefixItems !== undefined) return { kind: 'json' }
  const bounds = { minItems: numberOf(schema.minItems), maxItems: numberOf(schema.maxItems) }
  const choices = choicesOf(resolve(item, root))
  if (choices !== undefined) return { kind: 'choices', choices, ...bounds }
  return { kind: 'list', item: planOf(item, root, depth + 1), ...bounds }
}

function groupOf(schema: Schema, root: Schema, depth: number): Kind {
  const properties = recordOf(schema.properties)
  if (properties === undefined) {
    return schema.type === 'object' && depth === 0 && schema.additionalProperties !== true
      ? { kind: 'group', members: [] }
      : { kind: 'json' }
  }
  const required = arrayOf(schema.required) ?? []
  const members = Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    plan: planOf(recordOf(property) ?? {}, root, depth + 1),
  }))
  return { kind: 'group', members }
}

/** The values of `const`, `enum`, or a `oneOf` or `anyOf` of constants. */
function choicesOf(schema: Schema): readonly Choice[] | undefined {
  if (schema.const !== undefined) return [choiceOf(schema)]
  const values = arrayOf(schema.enum)
  if (values !== undefined) {
    const names = arrayOf(schema.enumNames)
    return values.map((value, index) => ({
      label: textOf(names?.[index]) ?? labelOf(value as Json),
      value: value as Json,
    }))
  }
  const parts = (arrayOf(schema.oneOf) ?? arrayOf(schema.anyOf))?.map((part) => recordOf(part))
  const areConstants = parts?.length && parts.every((part) => part?.const !== undefined)
  return areConstants ? parts.map((part) => choiceOf(part ?? {})) : undefined
}

function choiceOf({ const: value, title }: Schema): Choice {
  return { label: textOf(title) ?? labelOf(value as Json), value: value as Json }
}

export function labelOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `type: ['string', 'null']` is a choice between the two. */
function typesOf({ type }: Schema): readonly Schema[] | undefined {
  return arrayOf(type)?.map((each) => ({ type: each, title: each }))
}

/** A variant has the members of the schema around it too. */
function joined(outer: Schema, own: Schema): Schema {
  const [properties, ownProperties] = [recordOf(outer.properties), recordOf(own.properties)]
  if (properties === undefined || ownProperties === undefined) return {}
  const required = [...(arrayOf(outer.required) ?? []), ...(arrayOf(own.required) ?? [])]
  return { properties: { ...properties, ...ownProperties }, required }
}

/** Follows references within the document, and an `allOf` of one part. */
function resolve(schema: Schema, root: Schema, hops = 0): Schema {
  const all = arrayOf(schema.allOf)
  const [only] = all ?? []
  if (all?.length === 1 && hops < 10) {
    const { allOf: _, ...rest } = schema
    return { ...resolve(recordOf(only) ?? {}, root, hops + 1), ...rest }
  }
  const reference = textOf(schema.$ref)
  if (reference === undefined || hops > 10) return schema
  const { $ref: _, ...rest } = schema
  const found = recordOf(targetOf(root as JsonSchema, reference))
  return found === undefined ? rest : { ...resolve(found, root, hops + 1), ...rest }
}
