/**
 * Repairs a schema whose `type` contradicts its values, so that no value matches both. YAML reads values without quotes as
 * numbers and booleans, and other descriptions have the names of a list beside the type of its items.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/protocol/json.ts'
import { listOf } from './core-schema.ts'

/** Returns the schema with values of its type. Without any, the values decide, and the type is left out. */
export function repairValues(source: JsonObject): JsonObject {
  const { type, enum: values, const: only, default: fallback } = source
  const types = typeof type === 'string' ? [type] : listOf(type)
  if (types.length === 0 || (values ?? only ?? fallback) === undefined) return source
  const isOfType = (value: JsonValue) => types.some((one) => isOf(one, value))
  const inType = (value: JsonValue) => (isOfType(value) ? value : convert(types, value))
  const repaired: Record<string, JsonValue | undefined> = { ...source }
  if (fallback !== undefined) repaired.default = inType(fallback)
  if (only !== undefined) repaired.const = inType(only)
  if (Array.isArray(values)) repaired.enum = values.map(inType)
  const allowed = [...listOf(repaired.enum), ...(only === undefined ? [] : [inType(only)])]
  if (allowed.length === 0 || allowed.some(isOfType)) return repaired
  const { type: _, ...untyped } = repaired
  if (!types.includes('array') || !Array.isArray(values)) return untyped
  // The choices are those of the items.
  const { enum: choices, ...list } = repaired
  const items = isJsonObject(list.items) ? list.items : {}
  return items.$ref === undefined ? { ...list, items: { enum: choices, ...items } } : list
}

function isOf(type: JsonValue, value: JsonValue): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/** The value in the first of the types that has it, as it is written there; else the value itself. */
function convert(types: readonly JsonValue[], value: JsonValue): JsonValue {
  if (typeof value !== 'string') {
    const isPlain = typeof value === 'number' || typeof value === 'boolean'
    return isPlain && types.includes('string') ? String(value) : value
  }
  const candidates: readonly JsonValue[] = [Number(value), true, false]
  const found = candidates.find(
    (candidate) => String(candidate) === value && types.some((type) => isOf(type, candidate)),
  )
  return found ?? value
}
