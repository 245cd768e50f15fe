/** `fromJsonSchema()` of the SDK 2.x: a JSON Schema where a schema of a library is expected. */
import { jsonSchema } from '../server/schema/json-schema.ts'
import type { StandardSchema } from '../server/schema/standard-schema.ts'

/**
 * @typeParam T the type of the values, which the author knows
 * @param _validator has no effect: Edgeway has its own
 * @throws {TypeError} for a JSON Schema that is invalid
 */
export function fromJsonSchema<T = unknown>(
  schema: object,
  _validator?: unknown,
): StandardSchema<T> {
  const value = jsonSchema<T>({ ...schema })
  value['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  return value
}
