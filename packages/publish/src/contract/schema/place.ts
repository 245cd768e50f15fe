/** A schema or subschema with what the comparison needs of its document: the targets of references, and validation. */
import type { JsonSchema } from '../../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { checkJsonSchema } from '../../../../../src/server/schema/check-json-schema.ts'
import { checkFormat } from '../../../../../src/server/schema/formats.ts'
import { type References, resolveReferences } from '../../../../../src/server/schema/references.ts'
import { Validation } from '../../../../../src/server/schema/validation.ts'

interface SchemaDocument {
  readonly references: References
  /** Draft-07 ignores the siblings of `$ref`. */
  readonly refStandsAlone: boolean
}

export interface Place {
  /** A boolean or an object. */
  readonly schema: unknown
  readonly document: SchemaDocument
}

/** @throws {TypeError} for a schema that is malformed, refers to another document or exceeds the bounds of Edgeway */
export function rootPlace(schema: JsonSchema): Place {
  checkJsonSchema(schema)
  const refStandsAlone = /^http:\/\/json-schema\.org\/draft-0[4-7]\//.test(String(schema.$schema))
  // A definition may share objects between schemas. Here, each object belongs to one document.
  const own = structuredClone(schema)
  return { schema: own, document: { references: resolveReferences(own), refStandsAlone } }
}

export const placeIn = ({ document }: Place, schema: unknown): Place => ({ schema, document })

/** The targets of `$ref` and its relatives. */
export function targetsOf({ schema, document }: Place): readonly unknown[] {
  return isJsonObject(schema) ? (document.references.get(schema) ?? []) : []
}

/** Whether the keywords beside a reference are ignored. */
export const isReferenceAlone = (place: Place): boolean =>
  place.document.refStandsAlone && targetsOf(place).length > 0

/** Whether no value is valid: `false`, or `{ not: {} }` as schema libraries write it. */
export function isNothing({ schema }: Place): boolean {
  if (!isJsonObject(schema)) return schema === false
  const { not } = schema
  return not === true || (isJsonObject(not) && Object.keys(not).length === 0)
}

export function isValidAt({ schema, document }: Place, value: unknown): boolean {
  const { references, refStandsAlone } = document
  const options = { refStandsAlone, checkFormat }
  const run = new Validation(references, options, (pattern) => new RegExp(pattern, 'u'))
  return run.apply(schema, value, undefined, undefined)
}
