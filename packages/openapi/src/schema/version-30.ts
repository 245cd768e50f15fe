/** The dialect of OpenAPI 3.0 as JSON Schema 2020-12. @see https://spec.openapis.org/oas/v3.0.4#schema-object */
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

/** The keywords that 3.0 defines in another way. */
const TRANSLATED = ['exclusiveMinimum', 'exclusiveMaximum', 'example', 'format'] as const

/** Translates the keywords of one schema, without its subschemas. */
export function translateVersion30(source: JsonObject): JsonObject {
  if (TRANSLATED.every((keyword) => source[keyword] === undefined)) return source
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, example, format, ...rest } = source
  const [lower, upper] = [
    bound(minimum, exclusiveMinimum, 'minimum', 'exclusiveMinimum'),
    bound(maximum, exclusiveMaximum, 'maximum', 'exclusiveMaximum'),
  ]
  return {
    ...rest,
    ...lower,
    ...upper,
    ...(example !== undefined && source.examples === undefined
      ? { examples: [example] }
      : undefined),
    // Both are base64 in JSON; `../request/request-body.ts` sends `binary` as bytes.
    ...(format === 'byte' || format === 'binary'
      ? { contentEncoding: 'base64' }
      : format === undefined
        ? undefined
        : { format }),
  }
}

/** In 3.0 `exclusiveMinimum` is true or false and qualifies `minimum`. */
function bound(
  limit: JsonObject[string],
  exclusive: JsonObject[string],
  inclusiveKeyword: string,
  exclusiveKeyword: string,
): JsonObject {
  if (typeof exclusive === 'number') {
    return { [inclusiveKeyword]: limit, [exclusiveKeyword]: exclusive }
  }
  return { [exclusive === true ? exclusiveKeyword : inclusiveKeyword]: limit }
}

/** `nullable: true`. */
export function allowNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  const types = Array.isArray(type) ? type : [type]
  const isPlain = type !== undefined && schema.const === undefined && schema.allOf === undefined
  if (!isPlain || schema.anyOf !== undefined) {
    const { title, description, ...rest } = schema
    if (Object.keys(rest).length === 0) return schema
    return {
      ...(title === undefined ? undefined : { title }),
      ...(description === undefined ? undefined : { description }),
      anyOf: [rest, { type: 'null' }],
    }
  }
  return {
    ...schema,
    type: [...new Set([...types, 'null'])] as string[],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : undefined),
  }
}
