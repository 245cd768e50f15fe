/**
 * Inheritance as `allOf`, as generators write it. Read by the letter, no value matches, so a part of `allOf` is changed:
 * `Pet` that is one of `Cat` and `Dog`, each of which is all of `Pet` and more, never ends, so it is the base alone; and a part
 * with `additionalProperties: false` forbids the properties of the other parts, so it forbids none.
 */
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { isDescriptionError } from '../document/description-error.ts'
import type { OpenAPIDocument } from '../document/document.ts'
import { listOf } from './core-schema.ts'

const ALTERNATIVES = ['oneOf', 'anyOf'] as const

/** Whether the alternatives of a schema lead back to it without a step into the value. */
function isItsOwnBase(document: OpenAPIDocument, schema: JsonObject): boolean {
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

/** Returns the schema as a part of `allOf`: itself where nothing changes. */
export function partOf(document: OpenAPIDocument, schema: JsonObject): JsonObject {
  const { additionalProperties, unevaluatedProperties, ...open } = schema
  const isClosed = additionalProperties === false || unevaluatedProperties === false
  const whole = isClosed ? open : schema
  if (!isItsOwnBase(document, schema)) return whole
  const { oneOf: _, anyOf: __, discriminator: ___, ...base } = whole
  return base
}

const partsOf = (schema: JsonObject, keywords: readonly string[]): unknown[] =>
  keywords.flatMap((keyword) => listOf(schema[keyword]))

function targetOf(document: OpenAPIDocument, value: unknown): JsonObject | undefined {
  try {
    return isJsonObject(value) ? document.object({ value, place: undefined }).value : undefined
  } catch (error) {
    // The conversion of the same schema reports the reference with its place.
    if (isDescriptionError(error)) return undefined
    throw error
  }
}
