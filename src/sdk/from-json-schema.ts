/** `fromJsonSchema()` of the SDK 2.x: a JSON Schema where a schema of a library is expected. */
import { compileSchema } from '../server/schema/compile.ts'
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
  const { json, validate } = compileSchema({ ...schema }, 'input')
  return {
    '~standard': {
      version: 1,
      vendor: 'edgeway',
      // The author names the type.
      validate: validate as StandardSchema<T>['~standard']['validate'],
      jsonSchema: { input: () => json, output: () => json },
    },
  }
}
