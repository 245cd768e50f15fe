/** The request body of an operation: its media type, and the schema of its argument. */
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { descriptionError, member } from '../document/description-error.ts'
import type { Located, LocatedObject, OpenAPIDocument } from '../document/document.ts'
import { coreSchema, listOf } from '../schema/core-schema.ts'
import type { SchemaConverter, SchemaDefinition } from '../schema/schema-converter.ts'
import { allowNull } from '../schema/version-30.ts'
import type { ParameterStyle } from './parameter-style.ts'

/** How the argument becomes bytes. */
export type BodyForm = 'json' | 'form' | 'multipart' | 'text' | 'binary'

export interface PropertyEncoding {
  readonly contentType: string | undefined
  readonly style: ParameterStyle | undefined
  readonly explode: boolean | undefined
  readonly allowReserved: boolean
}

export interface RequestBody {
  readonly form: BodyForm
  /** As sent in `Content-Type`; `multipart` adds its boundary. */
  readonly mediaType: string
  readonly required: boolean
  readonly schema: JsonSchema
  readonly uses: ReadonlySet<SchemaDefinition>
  readonly encoding: ReadonlyMap<string, PropertyEncoding>
  /** The properties of a multipart body that are files. */
  readonly files: ReadonlySet<string>
}

const FORMS: readonly BodyForm[] = ['json', 'form', 'multipart', 'text', 'binary']

/** A media type that can be sent in a header. */
export const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:;[\w =".+:/-]{1,100})?$/

/** Returns how a media type is sent. Wildcards are JSON. */
function formOf(mediaType: string): BodyForm {
  const [type = ''] = mediaType.toLowerCase().split(';', 1)
  const name = type.trim()
  if (name === '*/*' || isJsonType(name)) return 'json'
  if (name === 'application/x-www-form-urlencoded') return 'form'
  if (name === 'multipart/form-data') return 'multipart'
  return isTextType(name) ? 'text' : 'binary'
}

/** `application/json`, or a type with the suffix `+json` (RFC 6839 §3.1). */
export function isJsonType(mediaType: string): boolean {
  return (
    mediaType === 'application/json' || mediaType === 'text/json' || mediaType.endsWith('+json')
  )
}

/** Types whose bytes are text. */
export function isTextType(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') ||
    mediaType.endsWith('+xml') ||
    /^application\/(?:xml|yaml|x-yaml|javascript|graphql|x-ndjson|jsonl|x-www-form-urlencoded|sql|toml)$/.test(
      mediaType,
    )
  )
}

/**
 * Reads the request body. Of several media types the first of this order is chosen: JSON, URL-encoded
 * form, multipart form, text, binary.
 *
 * @param preferred the media type that an override chooses
 * @throws {DescriptionError} for a body that cannot be sent
 */
export function readRequestBody(
  document: OpenAPIDocument,
  converter: SchemaConverter,
  located: Located,
  preferred: string | undefined,
): RequestBody | undefined {
  if (located.value === undefined || located.value === null) return undefined
  const { value: source, place } = document.object(located)
  const media = document
    .entries(source.content, member(place, 'content'))
    .filter(([type]) => type === '*/*' || MEDIA_TYPE.test(type))
  const ranked = media.toSorted(([a], [b]) => rank(a) - rank(b))
  const chosen = preferred === undefined ? ranked[0] : ranked.find(([type]) => type === preferred)
  if (chosen === undefined) {
    throw descriptionError(
      preferred === undefined
        ? 'the request body has no media type that can be sent'
        : `the request body has no media type ${JSON.stringify(preferred)}`,
      place,
    )
  }
  const [type, description] = [chosen[0], source.description]
  const content = document.object(chosen[1])
  const form = formOf(type)
  const mediaType = type === '*/*' ? 'application/json' : type
  const schema = { value: content.value.schema ?? {}, place: member(content.place, 'schema') }
  const body = describeBody(document, converter, form, mediaType, schema)
  return {
    ...body,
    form,
    mediaType,
    required: source.required === true,
    schema: {
      ...body.schema,
      ...(typeof description === 'string' && body.schema.description === undefined
        ? { description }
        : undefined),
    },
    encoding: readEncoding(content.value.encoding),
  }
}

function rank(mediaType: string): number {
  return FORMS.indexOf(formOf(mediaType))
}

type DescribedBody = Pick<RequestBody, 'schema' | 'uses' | 'files'>

function describeBody(
  document: OpenAPIDocument,
  converter: SchemaConverter,
  form: BodyForm,
  mediaType: string,
  schema: Located,
): DescribedBody {
  const files = new Set<string>()
  if (form === 'text' || form === 'binary') {
    const uses = new Set<SchemaDefinition>()
    const binary = { contentEncoding: 'base64', description: `The bytes as base64 (${mediaType}).` }
    const text = { description: `The text of the body (${mediaType}).` }
    return { schema: { type: 'string', ...(form === 'text' ? text : binary) }, uses, files }
  }
  const converted = converter.convert(schema)
  const known = isJsonObject(converted.schema) ? converted.schema : {}
  if (form === 'json') return { schema: known, uses: converted.uses, files }
  // A form has names.
  const plain = { ...converted, schema: { ...known, type: 'object' }, files }
  return form === 'form' ? plain : describeMultipart(document, converter, schema, plain)
}

/** A file of a multipart body, as an argument. */
export const FILE_SCHEMA: JsonSchema = Object.freeze({
  type: 'object',
  description: 'A file.',
  properties: {
    data: { type: 'string', contentEncoding: 'base64', description: 'The bytes as base64.' },
    filename: { type: 'string' },
    contentType: { type: 'string', description: 'The media type.' },
  },
  required: ['data'],
  additionalProperties: false,
})

/**
 * Replaces the properties that are files, also those of the parts of `allOf`. A body that is not described by properties
 * stays as it is.
 */
function describeMultipart(
  document: OpenAPIDocument,
  converter: SchemaConverter,
  schema: Located,
  plain: DescribedBody,
): DescribedBody {
  const parts = partsOf(document, schema)
  const properties = new Map<string, Located>()
  for (const { value, place } of parts) {
    for (const [name, property] of document.entries(
      value.properties,
      member(place, 'properties'),
    )) {
      if (!properties.has(name)) properties.set(name, property)
    }
  }
  const files = new Set<string>()
  const uses = new Set<SchemaDefinition>()
  const described = [...properties].flatMap(([name, property]) => {
    if (document.object(property).value.readOnly === true) return []
    const file = fileSchema(document, property)
    if (file !== undefined) files.add(name)
    const converted = file === undefined ? converter.convert(property) : { schema: file, uses: [] }
    for (const definition of converted.uses) uses.add(definition)
    return [[name, converted.schema] as const]
  })
  if (files.size === 0) return plain
  const named = new Set(parts.flatMap(({ value }) => listOf(value.required)))
  const required = [...named].filter((name) => described.some(([known]) => known === name))
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(described),
      ...(required.length === 0 ? undefined : { required: [...new Set(required)] }),
    },
    uses,
    files,
  }
}

/** The schema and the parts of its `allOf`, each once. */
function partsOf(document: OpenAPIDocument, schema: Located): readonly LocatedObject[] {
  const parts = new Map<object, LocatedObject>()
  const pending = [schema]
  for (const located of pending) {
    const { value, place } = document.object(located)
    if (parts.has(value)) continue
    parts.set(value, { value, place })
    for (const [index, part] of listOf(value.allOf).entries()) {
      if (isJsonObject(part))
        pending.push({ value: part, place: member(member(place, 'allOf'), index) })
    }
  }
  return [...parts.values()]
}

/** The schema of a file or of a list of files, or undefined for another property. */
function fileSchema(document: OpenAPIDocument, property: Located): JsonSchema | undefined {
  const { value: source, place, isNullable } = coreSchema(document, property)
  const { type, format, contentMediaType, contentEncoding, description, items } = source
  const about = typeof description === 'string' ? { description } : undefined
  const orNull = (schema: JsonSchema) => (isNullable ? allowNull(schema) : schema)
  if (type === 'array' && isJsonObject(items)) {
    const located = { value: items, place: member(place, 'items') }
    const isNested = coreSchema(document, located).value.type === 'array'
    const item = isNested ? undefined : fileSchema(document, located)
    return item && orNull({ type: 'array', items: item, ...about })
  }
  // 3.0 says `format: binary`; 3.1 a media type without an encoding, which for JSON is that of a text or an object.
  const isFile =
    (type === 'string' && format === 'binary') ||
    type === 'file' ||
    (typeof contentMediaType === 'string' &&
      contentEncoding === undefined &&
      type !== 'object' &&
      !isJsonType(contentMediaType))
  return isFile ? orNull({ ...FILE_SCHEMA, ...about }) : undefined
}

function readEncoding(encoding: unknown): ReadonlyMap<string, PropertyEncoding> {
  const entries = Object.entries(isJsonObject(encoding) ? encoding : {})
  return new Map(
    entries.map(([name, source]) => {
      const { contentType, style, explode, allowReserved } = isJsonObject(source) ? source : {}
      const [type = ''] = typeof contentType === 'string' ? contentType.split(',', 1) : []
      return [
        name,
        {
          contentType: MEDIA_TYPE.test(type.trim()) ? type.trim() : undefined,
          style: QUERY_STYLES.find((one) => one === style),
          explode: typeof explode === 'boolean' ? explode : undefined,
          allowReserved: allowReserved === true,
        },
      ]
    }),
  )
}

const QUERY_STYLES: readonly ParameterStyle[] = [
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
]
