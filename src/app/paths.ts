/** The paths of an app: those of the endpoint, and those of the transport of 2024-11-05. */
import type { Handlers } from '../transport/endpoint.ts'
import { checkParamNames, EndpointPaths, PathPattern } from '../transport/endpoint-paths.ts'
import type { TransportParts, TransportPaths } from '../transport/extensions.ts'

export interface AppPaths {
  /** The paths of the endpoint. */
  readonly patterns: readonly PathPattern[]
  readonly endpointPaths: EndpointPaths
  /** Undefined where the transport is not served. */
  readonly httpSse: TransportPaths | undefined
  /** The paths of the endpoint, and that of the stream of 2024-11-05 where it is another one. */
  readonly all: readonly PathPattern[]
  /** The sources of paths without params. Each is a resource of its own. */
  readonly single: readonly string[]
  /** The paths with params. */
  readonly families: readonly PathPattern[]
  /** Further paths of the first resource. */
  readonly aliases: readonly string[]
  /** Whether no path of the endpoint has it. */
  isFree(path: string): boolean
  /** The source of the pattern that a path has, with its trailing slash; undefined for any other path. */
  patternOf(pathname: string): string | undefined
}

export const DEFAULT_PATH = '/mcp'

/** @throws {TypeError} for invalid paths and param names */
export function createAppPaths(
  path: string | readonly string[],
  queryParams: readonly string[],
  handlers: Handlers,
  morePaths: TransportParts['paths'],
): AppPaths {
  const patterns = [path].flat().map((source) => new PathPattern('path', source))
  const httpSse = morePaths?.(patterns, handlers)
  const endpointPaths = new EndpointPaths()
  for (const pattern of patterns) {
    endpointPaths.add(pattern, httpSse?.handlersAt(pattern) ?? handlers)
  }
  const sources = patterns.map(({ source }) => source)
  const streams =
    httpSse === undefined || sources.includes(httpSse.stream.source) ? [] : [httpSse.stream]
  checkParamNames([...patterns, ...streams], queryParams)
  const hasParams = ({ paramNames }: PathPattern) => paramNames.length > 0
  const without = (of: readonly PathPattern[]) =>
    of.filter((pattern) => !hasParams(pattern)).map(({ source }) => source)
  return {
    patterns,
    endpointPaths,
    httpSse,
    all: [...patterns, ...streams],
    single: without(patterns),
    families: [...patterns, ...streams].filter(hasParams),
    aliases: without(streams),
    isFree: (at) =>
      [...patterns, ...streams, ...(httpSse === undefined ? [] : [httpSse.messages])].every(
        (pattern) => pattern.match(at) === undefined,
      ),
    patternOf(pathname) {
      const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
      const all = httpSse === undefined ? patterns : [...patterns, httpSse.stream, httpSse.messages]
      const found = all.find((pattern) => pattern.match(path) !== undefined)
      return found && found.source + pathname.slice(path.length)
    },
  }
}
