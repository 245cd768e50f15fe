/** The properties that one side never has: `readOnly` ones are not sent, `writeOnly` ones are not received. */
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { isDescriptionError } from '../document/description-error.ts'
import type { LocatedObject, OpenAPIDocument } from '../document/document.ts'

/** Whether values are sent to the API or received from it. */
export type SchemaSide = 'input' | 'output'

/** Maximum nesting of `allOf` that is searched. */
const MAX_DEPTH = 5

/** Returns the names of the hidden properties of a schema and of the parts of its `allOf`. */
export function hiddenProperties(
  document: OpenAPIDocument,
  { value: schema, place }: LocatedObject,
  side: SchemaSide,
): ReadonlySet<string> {
  const hidden = new Set<string>()
  const keyword = side === 'input' ? 'readOnly' : 'writeOnly'
  const resolve = (value: unknown): JsonObject => {
    try {
      return isJsonObject(value) ? document.object({ value, place }).value : {}
    } catch (error) {
      // The conversion of the same schema reports the reference with its place.
      if (isDescriptionError(error)) return {}
      throw error
    }
  }
  const search = (at: JsonObject, depth: number): void => {
    for (const [name, property] of Object.entries(resolve(at.properties))) {
      const isMarked = isJsonObject(property) && property[keyword] === true
      if (isMarked || resolve(property)[keyword] === true) hidden.add(name)
    }
    if (!Array.isArray(at.allOf) || depth > MAX_DEPTH) return
    for (const part of at.allOf) search(resolve(part), depth + 1)
  }
  search(schema, 0)
  return hidden
}
