/** The responses that an operation declares: their media types, and the schema of the one success. */
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { member } from '../document/description-error.ts'
import type { Located, OpenAPIDocument } from '../document/document.ts'
import type { CollectedOperation } from '../document/operations.ts'
import { isJsonType } from '../request/request-body.ts'
import { fitSchema } from '../schema/fit-schema.ts'
import type { SchemaConverter } from '../schema/schema-converter.ts'

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/

/** The media types of one success, as the value of `Accept`. Other types are accepted too. */
export function acceptOf(document: OpenAPIDocument, operation: CollectedOperation): string {
  const types = successes(document, operation)
    .flatMap(({ value, place }) =>
      document.entries(isJsonObject(value) ? value.content : undefined, member(place, 'content')),
    )
    .map(([type]) => type)
    .filter((type) => MEDIA_TYPE.test(type))
  const json = types.filter(isJsonType)
  const preferred = [...new Set(json.length > 0 ? json : types)]
  const chosen = preferred.length === 0 ? ['application/json'] : preferred.slice(0, MAX_ACCEPTED)
  return [...chosen, '*/*;q=0.5'].join(', ')
}

/** Maximum number of media types in `Accept`. */
const MAX_ACCEPTED = 5

/**
 * Returns the schema of the response if the operation declares exactly one success, and it is a JSON
 * object.
 */
export function outputSchemaOf(
  document: OpenAPIDocument,
  converter: SchemaConverter,
  operation: CollectedOperation,
  maxLength: number,
): JsonSchema | undefined {
  const [success, ...others] = successes(document, operation)
  if (success === undefined || others.length > 0) return undefined
  const { value, place } = success
  const content = isJsonObject(value) ? value.content : undefined
  const json = document
    .entries(content, member(place, 'content'))
    .filter(([type]) => isJsonType(type))
  const [media] = json
  if (media === undefined || json.length > 1) return undefined
  const described = document.object(media[1])
  const schema = { value: described.value.schema, place: member(described.place, 'schema') }
  if (schema.value === undefined || typeof schema.value === 'boolean') return undefined
  const { type, properties } = document.object(schema).value
  if (type !== 'object' && (type !== undefined || properties === undefined)) return undefined
  // `structuredContent` distinguishes a whole result from a value.
  if (isJsonObject(properties) && Object.hasOwn(properties, 'structuredContent')) return undefined
  const converted = converter.convert(schema)
  const known = typeof converted.schema === 'boolean' ? {} : converted.schema
  // Clients require the type at the root, also of a reference and of an object that may be null.
  const root = { ...known, type: 'object' }
  return fitSchema({ schema: root, uses: converted.uses }, maxLength).schema
}

function successes(document: OpenAPIDocument, { source, place }: CollectedOperation): Located[] {
  return document
    .entries(source.responses, member(place, 'responses'))
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .map(([, located]) => document.object(located))
}
