/** The paths of an app: those of the endpoint, and those of the transport of 2024-11-05. */
import type { Handlers } from '../transport/endpoint.ts'
import { checkParamNames, EndpointPaths, PathPattern } from '../transport/endpoint-paths.ts'
import type { TransportParts } from '../transport/extensions.ts'

export type AppPaths = ReturnType<typeof createAppPaths>

export const DEFAULT_PATH = '/mcp'

/** @throws {TypeError} for invalid paths and param names */
export function createAppPaths(
  path: string | readonly string[],
  queryParams: readonly string[],
  handlers: Handlers,
  morePaths: TransportParts['paths'],
  reserved: TransportParts['reservedValue'],
) {
  const patterns = [path].flat().map((source) => new PathPattern('path', source, reserved))
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
    /** The paths of the endpoint. */
    patterns,
    endpointPaths,
    /** Undefined where the transport of 2024-11-05 is not served. */
    httpSse,
    /** The paths of the endpoint, and that of the stream of 2024-11-05 where it is another one. */
    all: [...patterns, ...streams],
    /** The sources of paths without params. Each is a resource of its own. */
    single: without(patterns),
    /** The paths with params. */
    families: [...patterns, ...streams].filter(hasParams),
    /** Further paths of the first resource. */
    aliases: without(streams),
    /** Whether no path of the endpoint has it. */
    isFree: (at: string) =>
      [...patterns, ...streams, ...(httpSse === undefined ? [] : [httpSse.messages])].every(
        (pattern) => pattern.match(at) === undefined,
      ),
    /** The source of the pattern that a path has, with its trailing slash; undefined for any other path. */
    patternOf(pathname: string): string | undefined {
      const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
      const all = httpSse === undefined ? patterns : [...patterns, httpSse.stream, httpSse.messages]
      const found = all.find((pattern) => pattern.match(path) !== undefined)
      return found && found.source + pathname.slice(path.length)
    },
  }
}
