/** Reads the parameters of an operation. @see https://spec.openapis.org/oas/v3.1.1#parameter-object */
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { descriptionError, member, type Place } from '../document/description-error.ts'
import type { Located, LocatedObject, OpenAPIDocument } from '../document/document.ts'
import type { SecuritySchemes } from '../document/security.ts'
import { coreSchema } from '../schema/core-schema.ts'
import type { ParameterStyle, Serialization } from './parameter-style.ts'

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie'

export interface Parameter {
  readonly name: string
  readonly in: ParameterPlace
  readonly required: boolean
  readonly serialization: Serialization
  /** The media type of a parameter with `content`: JSON, or text. Undefined for a style. */
  readonly mediaType: string | undefined
  readonly schema: Located
  /** What the schema says of values that are not null. */
  readonly core: JsonObject
  readonly description: string | undefined
  readonly deprecated: boolean
  readonly example: unknown
}

const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/**
 * Header fields that a parameter cannot set: OpenAPI ignores the first three, and the others belong to
 * the connection or to cookies.
 */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-type',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/**
 * Reads the parameters of a path item and of its operation, which replace those of the same name and
 * place. Left out are headers that OpenAPI ignores, and the credentials of security schemes.
 *
 * @throws {DescriptionError} for a parameter that cannot be sent
 */
export function readParameters(
  document: OpenAPIDocument,
  lists: readonly Located[],
  schemes: SecuritySchemes,
): Parameter[] {
  const parameters = new Map<string, Parameter>()
  for (const { value: list, place } of lists) {
    if (list === undefined || list === null) continue
    if (!Array.isArray(list)) throw descriptionError('parameters must be an array', place)
    for (const [index, item] of list.entries()) {
      const located = { value: item, place: member(place, index) }
      const parameter = readParameter(document, document.object(located))
      if (isCredential(parameter, schemes)) continue
      const { in: at, name } = parameter
      if (at === 'header' && RESERVED_HEADERS.has(name.toLowerCase())) continue
      parameters.set(`${at} ${at === 'header' ? name.toLowerCase() : name}`, parameter)
    }
  }
  return [...parameters.values()]
}

/** Untidy descriptions repeat the API key of a security scheme as a parameter. */
function isCredential({ in: at, name }: Parameter, schemes: SecuritySchemes): boolean {
  return [...schemes.values()].some(
    (scheme) =>
      scheme.type === 'apiKey' &&
      scheme.in === at &&
      scheme.parameter.toLowerCase() === name.toLowerCase(),
  )
}

function readParameter(
  document: OpenAPIDocument,
  { value: source, place }: LocatedObject,
): Parameter {
  const { name, in: at, style, explode, description, content } = source
  if (typeof name !== 'string' || name === '') {
    throw descriptionError('a parameter needs a name', place)
  }
  if (at !== 'path' && at !== 'query' && at !== 'header' && at !== 'cookie') {
    throw descriptionError('the member "in" must be path, query, header or cookie', place)
  }
  if (at === 'header' && !FIELD_NAME.test(name)) {
    throw descriptionError('the name is not the name of a header field', place)
  }
  const allowed = STYLES[at]
  const [defaultStyle = 'form'] = allowed
  const known = allowed.find((one) => one === style)
  if (style !== undefined && known === undefined) {
    throw descriptionError(`the style of a parameter in ${at} must be ${allowed.join(', ')}`, place)
  }
  const chosen = known ?? defaultStyle
  const [media] = Object.entries(isJsonObject(content) ? content : {})
  const schema =
    media === undefined
      ? { value: source.schema ?? {}, place: member(place, 'schema') }
      : mediaSchema(document, media, member(place, 'content'))
  return {
    name,
    in: at,
    required: at === 'path' || source.required === true,
    serialization: {
      style: chosen,
      explode: typeof explode === 'boolean' ? explode : chosen === 'form',
      allowReserved: at === 'query' && source.allowReserved === true,
    },
    mediaType: media?.[0],
    schema,
    core: isJsonObject(schema.value) ? coreSchema(document, schema).value : {},
    description: typeof description === 'string' ? description : undefined,
    deprecated: source.deprecated === true,
    example: source.example,
  }
}

function mediaSchema(
  document: OpenAPIDocument,
  [type, value]: readonly [string, unknown],
  place: Place,
): Located {
  const media = document.object({ value, place: member(place, type) })
  return { value: media.value.schema ?? {}, place: member(media.place, 'schema') }
}
