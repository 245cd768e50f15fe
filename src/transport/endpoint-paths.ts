/** The paths of the endpoint: exact paths, and patterns such as `/mcp/{org}`, whose segments are params. */
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

const MAX_PARAMS = 8
const NAME = /^[A-Za-z][\w-]{0,39}$/
const LITERAL = /^[\w\-.]+$/

type Segment = { readonly literal: string } | { readonly param: string }

/** One configured path. */
export class PathPattern {
  /** As it was configured: `/mcp/{org}`. */
  readonly source: string
  readonly #segments: readonly Segment[]

  /** @throws {TypeError} that names the option */
  constructor(option: string, source: string) {
    this.source = source
    const [empty, ...segments] = source.split('/')
    if (empty !== '' || segments.length === 0) throw malformed(option, source)
    this.#segments = segments.map((text) => parseSegment(option, source, text))
  }

  get paramNames(): readonly string[] {
    return this.#segments.flatMap((segment) => ('param' in segment ? [segment.param] : []))
  }

  /** The path as a route of Hono, which writes `{org}` as `:org`. */
  get route(): string {
    return this.source.replaceAll('{', ':').replaceAll('}', '')
  }

  /** The end of a path that has as many segments as the pattern: the app may be mounted under a prefix. */
  endOf(pathname: string): string {
    const segments = pathname.replace(/\/$/, '').split('/')
    return `/${segments.slice(-this.#segments.length).join('/')}`
  }

  /** The params of a path, with or without a trailing slash; undefined for a path of another form. */
  match(pathname: string): FactoryParams | undefined {
    const texts = pathname.replace(/\/$/, '').split('/').slice(1)
    if (texts.length !== this.#segments.length) return undefined
    const params: [string, string][] = []
    for (const [index, segment] of this.#segments.entries()) {
      const text = texts[index] ?? ''
      if ('literal' in segment) {
        if (text !== segment.literal) return undefined
      } else {
        const value = decode(text)
        if (value === undefined) return undefined
        params.push([segment.param, value])
      }
    }
    return params.length === 0 ? NO_PARAMS : Object.fromEntries(params)
  }
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

/** Undefined for a value that is empty, too long, or no percent-encoded UTF-8. */
function decode(text: string): string | undefined {
  if (text === '' || text.length > 3 * MAX_PARAM_LENGTH) return undefined
  try {
    const value = decodeURIComponent(text)
    return value.length <= MAX_PARAM_LENGTH && !value.includes('/') ? value : undefined
  } catch {
    // A malformed percent-encoding.
    return undefined
  }
}

/** Finds the endpoint of a path. */
export class EndpointPaths {
  readonly #exact = new Map<string, EndpointPath>()
  readonly #patterns: { readonly pattern: PathPattern; readonly handlers: Handlers }[] = []

  add(pattern: PathPattern, handlers: Handlers): void {
    const { source } = pattern
    if (pattern.paramNames.length > 0) this.#patterns.push({ pattern, handlers })
    else {
      const endpoint: EndpointPath = { resourcePath: source, handlers, params: NO_PARAMS }
      this.#exact.set(source, endpoint).set(`${source}/`, endpoint)
    }
  }

  find(pathname: string): EndpointPath | undefined {
    const exact = this.#exact.get(pathname)
    if (exact !== undefined) return exact
    for (const { pattern, handlers } of this.#patterns) {
      const params = pattern.match(pathname)
      if (params !== undefined) {
        return { resourcePath: pathname.replace(/\/$/, ''), handlers, params }
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
 * when a value is too long.
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
  if (found.some(([, value]) => value.length > MAX_PARAM_LENGTH)) return undefined
  return found.length === 0 ? params : { ...params, ...Object.fromEntries(found) }
}
