/** What a schema says of values that are not null, where it is one reference or composition away. */
import { isJsonObject, type JsonValue } from '../../../../src/protocol/json.ts'
import type { Located, LocatedObject, OpenAPIDocument } from '../document/document.ts'

/** Maximum number of compositions, one within the other, that are followed. */
const MAX_DEPTH = 5

export interface CoreSchema extends LocatedObject {
  readonly isNullable: boolean
}

/**
 * Returns A for a reference to A, `allOf: [A]`, `anyOf: [A, null]` and `type: [A, null]`. What is written beside a
 * composition replaces members of A.
 */
export function coreSchema(document: OpenAPIDocument, located: Located): CoreSchema {
  let { value, place } = document.object(located)
  let hasNull = false
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const { allOf, anyOf, oneOf, ...others } = value
    const parts = [allOf, anyOf, oneOf].flatMap(listOf)
    const [part, ...more] = parts.filter((each) => !(isJsonObject(each) && each.type === 'null'))
    if (!isJsonObject(part) || more.length > 0) break
    hasNull ||= parts.length > 1
    const next = document.object({ value: part, place })
    value = { ...next.value, ...others }
    place = next.place
  }
  const types = listOf(value.type).filter((type) => type !== 'null')
  const [type] = types
  return {
    value: type !== undefined && types.length === 1 ? { ...value, type } : value,
    place,
    isNullable:
      hasNull ||
      (document.isVersion30 && value.nullable === true) ||
      listOf(value.type).includes('null'),
  }
}

export function listOf(value: unknown): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}
