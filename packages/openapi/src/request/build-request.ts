/** Builds the request of one call, without credentials. */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { ToolError } from '../../../../src/server/tool-error.ts'
import type { HttpMethod } from '../document/operation.ts'
import { encodeBody } from './encode-body.ts'
import { type ArgumentOfParameter, BODY_ARGUMENT } from './operation-arguments.ts'
import type { Parameter } from './parameter.ts'
import {
  encodeUnreserved,
  serializeCookie,
  serializeHeader,
  serializePath,
  serializeQuery,
} from './parameter-style.ts'
import { isJsonType, type RequestBody } from './request-body.ts'

/** What a request is built from. */
export interface RequestPlan {
  readonly method: HttpMethod
  readonly path: PathTemplate
  readonly parameters: readonly ArgumentOfParameter[]
  /** Values of required parameters that are sent if the call has none, by argument. */
  readonly defaults: Readonly<Record<string, unknown>>
  readonly body: RequestBody | undefined
  /** The parameters that carry the credentials. */
  readonly credentials: readonly Pick<Parameter, 'in' | 'name'>[]
  /** The value of `Accept`. */
  readonly accept: string
}

/** A path template: texts and names of parameters in turns, beginning with a text. */
export interface PathTemplate {
  readonly texts: readonly string[]
  readonly names: readonly string[]
  /** A query that the template itself contains, without `?`. */
  readonly query: string
}

/** Headers of an outgoing request, and the parts of it that credentials are added to. */
export interface ApiRequest {
  readonly method: HttpMethod
  url: string
  readonly headers: Headers
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
}

/** Reads `/pets/{petId}`. A fragment is left out: untidy descriptions use it to repeat a path. */
export function parsePathTemplate(path: string): PathTemplate {
  const [withoutFragment = ''] = path.split('#', 1)
  const mark = withoutFragment.indexOf('?')
  const pathname = mark === -1 ? withoutFragment : withoutFragment.slice(0, mark)
  // Splitting by an expression with a group keeps the names.
  const parts = pathname.split(/\{([^{}]*)\}/)
  return {
    texts: parts.filter((_, index) => index % 2 === 0).map(encodeFixed),
    names: parts.filter((_, index) => index % 2 === 1),
    query: mark === -1 ? '' : encodeFixed(withoutFragment.slice(mark + 1)),
  }
}

/** The fixed text of a path: percent-encodes what a URL cannot contain there. */
function encodeFixed(text: string): string {
  // The group keeps what is encoded already.
  const parts = text.toWellFormed().split(/(%[0-9A-Fa-f]{2})/)
  return parts.map((part, index) => (index % 2 === 1 ? part : encodeURI(part))).join('')
}

/** @throws {ToolError} for an argument that cannot be sent */
export function buildRequest(
  plan: RequestPlan,
  baseUrl: string,
  args: Readonly<Record<string, unknown>>,
): ApiRequest {
  const { method, path, parameters, body, accept } = plan
  const values = new Map(
    parameters.map(({ argument, parameter }) => [
      parameter,
      Object.hasOwn(args, argument) ? args[argument] : undefined,
    ]),
  )
  for (const described of parameters) checkMembers(plan, described, values.get(described.parameter))
  const inPlace = (at: Parameter['in']) => parameters.filter(({ parameter }) => parameter.in === at)
  const pathname = fillPath(path, inPlace('path'), values)
  const query = inPlace('query').flatMap(({ parameter }) =>
    queryOf(parameter, values.get(parameter)),
  )
  if (path.query !== '') query.unshift(path.query)
  const headers = new Headers({ accept, 'user-agent': 'Edgeway' })
  for (const { argument, parameter } of inPlace('header')) {
    const value = headerOf(parameter, values.get(parameter))
    if (value !== undefined) setHeader(headers, parameter.name, value, argument)
  }
  const cookies = inPlace('cookie').flatMap(({ parameter }) => {
    const value = values.get(parameter)
    const { mediaType, name } = parameter
    if (mediaType !== undefined) return queryOf(parameter, value)
    return serializeCookie(name, value, parameter.serialization)
  })
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  const content = Object.hasOwn(args, BODY_ARGUMENT) ? args[BODY_ARGUMENT] : undefined
  const encoded =
    body === undefined || content === undefined ? undefined : encodeBody(body, content)
  if (encoded !== undefined) headers.set('content-type', encoded.contentType)
  return {
    method,
    url: `${baseUrl}${pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    headers,
    body: encoded?.body,
  }
}

type Values = ReadonlyMap<Parameter, unknown>

/**
 * An exploded object sends each of its members as a parameter. It must not send one that the description has
 * besides: its author may have fixed or hidden that, or it carries the credentials, and servers disagree which
 * of two values counts.
 */
function checkMembers(
  { path, parameters, credentials }: RequestPlan,
  { argument, parameter }: ArgumentOfParameter,
  value: unknown,
): void {
  const { in: place, mediaType, serialization } = parameter
  const isSpread = serialization.explode && serialization.style !== 'deepObject'
  if (!isJsonObject(value) || !isSpread || mediaType !== undefined) return
  if (place !== 'query' && place !== 'cookie') return
  const others = [...parameters.map((each) => each.parameter), ...credentials]
  const names = others.flatMap((each) =>
    each !== parameter && each.in === place ? [each.name] : [],
  )
  if (place === 'query') names.push(...new URLSearchParams(path.query).keys())
  const taken = new Set(names.flatMap(foldedNames))
  for (const key of Object.keys(value)) {
    if (foldedNames(key).some((name) => taken.has(name))) {
      throw new ToolError(
        `Invalid arguments: ${argument} must not have ${JSON.stringify(key)}: the description has that parameter`,
      )
    }
  }
}

/** The names that servers may read: some split a query at semicolons, also at encoded ones. */
function foldedNames(text: string): string[] {
  return text.normalize('NFKC').split(';').map(foldName)
}

/**
 * The name that servers may read: some ignore case and white space at the ends, read `name[]` as `name`, end
 * it at NUL, or replace dots, spaces and dashes by underscores.
 */
function foldName(name: string): string {
  const [read = ''] = name.trim().split(/[=[\0]/, 1)
  return read
    .trim()
    .toLowerCase()
    .replaceAll(/[\s.-]/g, '_')
}

function fillPath(
  { texts, names }: PathTemplate,
  parameters: readonly ArgumentOfParameter[],
  values: Values,
): string {
  const pathname = texts.reduce((filled, text, index) => {
    const name = names[index - 1]
    const found = parameters.find(({ parameter }) => parameter.name === name)
    if (found === undefined) return `${filled}${text}`
    const { argument, parameter } = found
    const value = contentText(parameter, values.get(parameter)) ?? values.get(parameter)
    const expanded =
      parameter.mediaType === undefined
        ? serializePath(parameter.name, value, parameter.serialization)
        : encodeUnreserved(String(value))
    if (expanded === '') throw new ToolError(`Invalid arguments: ${argument} must not be empty`)
    return `${filled}${expanded}${text}`
  })
  if (hasDotSegment(pathname)) {
    throw new ToolError('Invalid arguments: a segment of the path must not be "." or ".."')
  }
  return pathname
}

/** A dot, a slash or a backslash, percent-encoded any number of times. */
const ENCODED_DELIMITER = /%(?:25)*(2e|2f|5c)/gi

/**
 * Whether a reader of the path finds a segment that is removed with the one before it. The URL parser reads
 * `%2e` as a dot; gateways and frameworks decode `%2F` and `%5C` too, some of them twice, and others remove
 * what follows a semicolon first.
 */
function hasDotSegment(pathname: string): boolean {
  const decoded = pathname.replace(ENCODED_DELIMITER, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return decoded.split(/[/\\]/).some((segment) => {
    const [name = ''] = segment.split(/;|%(?:25)*3b/i, 1)
    return name === '.' || name === '..'
  })
}

/** The text of a parameter with `content`. Undefined for one with a style, and for one that is absent. */
function contentText({ mediaType }: Parameter, value: unknown): string | undefined {
  if (mediaType === undefined || value === undefined) return undefined
  return isJsonType(mediaType) || typeof value !== 'string' ? JSON.stringify(value) : value
}

function queryOf(parameter: Parameter, value: unknown): string[] {
  const { name, mediaType, serialization } = parameter
  if (mediaType === undefined) return serializeQuery(name, value, serialization)
  const text = contentText(parameter, value)
  return text === undefined ? [] : [`${encodeUnreserved(name)}=${encodeUnreserved(text)}`]
}

function headerOf(parameter: Parameter, value: unknown): string | undefined {
  return parameter.mediaType === undefined
    ? serializeHeader(value, parameter.serialization)
    : contentText(parameter, value)
}

/** Visible ASCII, spaces and tabs: nothing that ends a field (RFC 9110 §5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/

function setHeader(headers: Headers, name: string, value: string, argument: string): void {
  if (!FIELD_VALUE.test(value)) {
    throw new ToolError(`Invalid arguments: ${argument} may only contain ASCII characters`)
  }
  headers.set(name, value)
}
