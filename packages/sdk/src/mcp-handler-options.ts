/** The options of `createMcpHandler()`: those of both SDKs, beside those of `createEdgeway`. */
import type { EdgewayOptions } from '../../../src/app.ts'
import type { FeatureOption } from '../../../src/feature/feature.ts'
import type { CorsOptions } from './cors-options.ts'
import type { McpAuthContext } from './mcp-auth-context.ts'
import { notCarried } from './not-carried.ts'
import { NOT_CARRIED } from './not-carried-options.ts'

export interface CreateMcpHandlerOptions<
  Features extends readonly FeatureOption[] = readonly FeatureOption[],
> extends Omit<EdgewayOptions<Features>, 'path' | 'modernOnly'> {
  /**
   * The path to serve; any other path is answered with 404. Default: every path. Each of several handlers of one Worker
   * needs a route of its own: it is their resource, and a part of the default of `audience`.
   */
  readonly route?: string
  /** Receives the errors of handlers, besides telemetry. */
  readonly onerror?: (error: Error) => void
  /** Maximum size of a request body, in bytes. */
  readonly maxRequestBodySize?: number
  /** Has no effect: the limit `keepAliveMs` does it. */
  readonly keepAliveMs?: number
  /** `reject` refuses clients of the revisions before 2026-07-28. Default `stateless`: they are served. */
  readonly legacy?: 'stateless' | 'reject'
  readonly responseMode?: 'auto'
  /** The props of the caller of this handler, instead of those of its execution context. */
  readonly authContext?: McpAuthContext
  /**
   * What web pages may do besides the default. Pages of `origin` may use the endpoint, unless it is `*`. False
   * removes the headers of CORS.
   */
  readonly corsOptions?: CorsOptions | false
  /** The host names to serve, without ports. Default: see `docs/security.md`. */
  readonly allowedHostnames?: readonly string[]
  /**
   * The host names of the origins of web pages that may use the endpoint. `*` allows all. Default: the origin
   * of the endpoint, and `corsOptions.origin`. A loopback host serves loopback origins alone.
   */
  readonly allowedOriginHostnames?: readonly string[] | '*'
}

/** @throws {TypeError} for an option that cannot be carried, with a link to the guide */
export function checkCarried(options: CreateMcpHandlerOptions): void {
  for (const [option, instead] of Object.entries(NOT_CARRIED)) {
    if (option in options) throw notCarried(`The option ${option} is not carried: ${instead}.`)
  }
  const { legacy, responseMode } = options
  if (![undefined, 'stateless', 'reject'].includes(legacy)) {
    throw notCarried('The option legacy is "stateless" or "reject".')
  }
  if ((responseMode ?? 'auto') !== 'auto') {
    throw notCarried('Edgeway chooses between JSON and a stream.')
  }
}
