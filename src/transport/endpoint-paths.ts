/** The paths of the endpoint: exact paths, and patterns such as `/mcp/{org}`, whose segments are params. */
import { tryDecodeUri } from '../platform/try-parse.ts'
import { type FactoryParams, NO_PARAMS } from '../protocol/factory-params.ts'
import type { Handlers } from './endpoint.ts'

/** One path of the endpoint. */
export interface EndpointPath {
  /** The path that authorization knows the resource by. */
  readonly resourcePath: string
  readonly handlers: Handlers
  readonly params: FactoryParams
}

/** Maximum length of a param, in UTF-16 code units. Session ids contain the params of their session. */
export const MAX_PARAM_LENGTH = 200

/** Three bytes of UTF-8 per code unit, each of three characters. */
const MAX_ENCODED_LENGTH = 9 * MAX_PARAM_LENGTH

const CONTROL_CHARACTER = /\p{Cc}/u

/** Separators, and percent-encodings: a URL parser takes `%2e%2e` for `..`. */
const CHANGES_PATHS = /[/\\?#]|%[0-9a-f]{2}/i

const MAX_PARAMS = 8
const NAME = /^[A-Za-z][\w-]{0,39}$/
const LITERAL = /^[\w\-.]+$/

type Segment = { readonly literal: string } | { readonly param: string }

/** One configured path. */
export class PathPattern {
  /** As it was configured: `/mcp/{org}`. */
  readonly source: string
  /** The value that no param may have. */
  readonly reserved: string | undefined
  readonly #segments: readonly Segment[]

  /** @throws {TypeError} that names the option */
  constructor(option: string, source: string, reserved?: string) {
    this.source = source
    this.reserved = reserved
    const [empty, ...segments] = source.split('/')
    if (empty !== '' || segments.length === 0) throw malformed(option, source)
    this.#segments = segments.map((text) => parseSegment(option, source, text))
  }

  get paramNames(): readonly string[] {
    return this.#segments.flatMap((segment) => ('param' in segment ? [segment.param] : []))
  }

  /** The path of another pattern with the params of a path of this one, in the same order and spelling. */
  translate(pathname: string, to: PathPattern): string {
    const texts = segmentsOf(pathname)
    const values = texts.filter((_, index) => 'param' in (this.#segments[index] ?? {}))
    return to.#segments
      .map((segment) => `/${'literal' in segment ? segment.literal : values.shift()}`)
      .join('')
  }

  /** The path as a route of Hono, which writes `{org}` as `:org`. */
  get route(): string {
    return this.source.replaceAll('{', ':').replaceAll('}', '')
  }

  /** Whether a path has as many segments as the pattern, with or without a trailing slash. */
  hasLengthOf(pathname: string): boolean {
    return segmentsOf(pathname).length === this.#segments.length
  }

  /** The params of a path, with or without a trailing slash; undefined for a path of another form. */
  match(pathname: string): FactoryParams | undefined {
    const texts = segmentsOf(pathname)
    if (texts.length !== this.#segments.length) return undefined
    const params: [string, string][] = []
    for (const [index, segment] of this.#segments.entries()) {
      const text = texts[index] ?? ''
      if ('literal' in segment) {
        if (text !== segment.literal) return undefined
      } else {
        const value = decode(text)
        if (value === undefined || value === this.reserved) return undefined
        params.push([segment.param, value])
      }
    }
    return params.length === 0 ? NO_PARAMS : Object.fromEntries(params)
  }
}

function segmentsOf(pathname: string): string[] {
  return pathname.replace(/\/$/, '').split('/').slice(1)
}

function parseSegment(option: string, source: string, text: string): Segment {
  if (LITERAL.test(text)) return { literal: text }
  const name = /^\{(.*)\}$/.exec(text)?.[1]
  if (name === undefined || !NAME.test(name)) throw malformed(option, source)
  return { param: name }
}

function malformed(option: string, source: string): TypeError {
  return new TypeError(
    `${option} "${source}" must start with "/", contain no wildcard and not end with "/"; a segment may be {name}`,
  )
}

/** Undefined for a value that is empty, malformed, or would change the meaning of a path that contains it. */
function decode(text: string): string | undefined {
  if (text === '' || text.length > MAX_ENCODED_LENGTH) return undefined
  const value = tryDecodeUri(text)
  if (value === undefined || !isParamValue(value)) return undefined
  return value === '.' || value === '..' || CHANGES_PATHS.test(value) ? undefined : value
}

/** Whether a decoded value is short enough, and without control characters. */
function isParamValue(value: string): boolean {
  return value.length <= MAX_PARAM_LENGTH && !CONTROL_CHARACTER.test(value)
}

/** Finds the endpoint of a path. */
export class EndpointPaths {
  readonly #exact = new Map<string, EndpointPath>()
  readonly #patterns: {
    readonly pattern: PathPattern
    readonly handlers: Handlers
    readonly resource: PathPattern
  }[] = []

  /** @param resource that the path belongs to, with the same params. Default: the path itself */
  add(pattern: PathPattern, handlers: Handlers, resource = pattern): void {
    const { source } = pattern
    if (pattern.paramNames.length > 0) this.#patterns.push({ pattern, handlers, resource })
    else {
      const endpoint: EndpointPath = { resourcePath: resource.source, handlers, params: NO_PARAMS }
      this.#exact.set(source, endpoint).set(`${source}/`, endpoint)
    }
  }

  find(pathname: string): EndpointPath | undefined {
    const exact = this.#exact.get(pathname)
    if (exact !== undefined) return exact
    for (const { pattern, handlers, resource } of this.#patterns) {
      const params = pattern.match(pathname)
      if (params !== undefined) {
        return { resourcePath: pattern.translate(pathname, resource), handlers, params }
      }
    }
    return undefined
  }
}

/**
 * Checks the names of all params: those of the paths, and of the query.
 *
 * @throws {TypeError}
 */
export function checkParamNames(patterns: readonly PathPattern[], query: readonly string[]): void {
  for (const name of query) {
    if (!NAME.test(name)) throw new TypeError(`queryParams: "${name}" is not a name of a parameter`)
  }
  for (const { source, paramNames } of patterns) {
    const names = [...paramNames, ...query]
    if (new Set(names).size < names.length) {
      throw new TypeError(`The path ${source} and queryParams must not name a parameter twice`)
    }
    if (names.length > MAX_PARAMS) {
      throw new TypeError(`The path ${source} has more than ${MAX_PARAMS} parameters`)
    }
  }
}

/**
 * Adds the named query parameters that are present. One that occurs twice has its first value. Undefined
 * for a malformed value.
 */
export function withQueryParams(
  params: FactoryParams,
  names: readonly string[],
  url: string,
): FactoryParams | undefined {
  if (names.length === 0 || !url.includes('?')) return params
  const { searchParams } = new URL(url)
  const found = names.flatMap((name) => {
    const value = searchParams.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  if (!found.every(([, value]) => isParamValue(value))) return undefined
  return found.length === 0 ? params : { ...params, ...Object.fromEntries(found) }
}
