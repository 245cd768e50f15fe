/** A `discriminator` as JSON Schema. @see https://spec.openapis.org/oas/v3.1.1#discriminator-object */
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/protocol/json.ts'

/**
 * Adds to each alternative the values of the discriminating property that choose it.
 *
 * @param sources the alternatives as written: each is a reference
 */
export function discriminate(
  { discriminator }: JsonObject,
  sources: readonly JsonValue[],
  alternatives: readonly (JsonSchema | boolean)[],
): readonly (JsonSchema | boolean)[] {
  if (!isJsonObject(discriminator) || typeof discriminator.propertyName !== 'string') {
    return alternatives
  }
  const { propertyName, mapping } = discriminator
  const mapped = Object.entries(isJsonObject(mapping) ? mapping : {})
  return alternatives.map((alternative, index) => {
    const source = sources[index]
    if (typeof alternative === 'boolean' || !isJsonObject(source)) return alternative
    if (typeof source.$ref !== 'string') return alternative
    const { $ref } = source
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    const values = mapped.flatMap(([value, to]) => (to === $ref || to === name ? [value] : []))
    return {
      ...alternative,
      properties: Object.fromEntries([
        [propertyName, { enum: values.length > 0 ? values : [name] }],
      ]),
      required: [propertyName],
    }
  })
}
