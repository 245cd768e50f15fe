/**
 * Inheritance that is written both ways, as generators do: `Pet` is one of `Cat` and `Dog`, and `Cat` is all of `Pet` and more.
 * As JSON Schema it never ends. A part of `allOf` is then the base alone, without its alternatives.
 */
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { DescriptionError } from '../document/description-error.ts'
import type { OpenAPIDocument } from '../document/document.ts'
import { listOf } from './core-schema.ts'

const ALTERNATIVES = ['oneOf', 'anyOf'] as const

/** Whether the alternatives of a schema lead back to it without a step into the value. */
export function isItsOwnBase(document: OpenAPIDocument, schema: JsonObject): boolean {
  const seen = new Set<object>()
  const pending = partsOf(schema, ALTERNATIVES)
  for (const part of pending) {
    const target = targetOf(document, part)
    if (target === schema) return true
    if (target === undefined || seen.has(target)) continue
    seen.add(target)
    pending.push(...partsOf(target, ['allOf', ...ALTERNATIVES]))
  }
  return false
}

/** The schema without its alternatives. */
export function baseOf(schema: JsonObject): JsonObject {
  const { oneOf: _, anyOf: __, discriminator: ___, ...base } = schema
  return base
}

const partsOf = (schema: JsonObject, keywords: readonly string[]): unknown[] =>
  keywords.flatMap((keyword) => listOf(schema[keyword]))

function targetOf(document: OpenAPIDocument, value: unknown): JsonObject | undefined {
  try {
    return isJsonObject(value) ? document.object({ value, place: undefined }).value : undefined
  } catch (error) {
    // The conversion of the same schema reports the reference with its place.
    if (error instanceof DescriptionError) return undefined
    throw error
  }
}
