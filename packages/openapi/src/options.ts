/** The options of `fromOpenAPI` and `prepareOpenAPI`. */

import type { MaybePromise } from '../../../src/platform/maybe-promise.ts'
import type { GrantProps } from '../../../src/protocol/auth-info.ts'
import type { JsonSchema } from '../../../src/protocol/content.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import type { Context } from '../../../src/server/context.ts'
import type { ToolReturn, ToolSettings } from '../../../src/server/tool.ts'
import type { OpenAPIOperation } from './document/operation.ts'
import type { OperationFilters } from './document/operation-filter.ts'
import type { CredentialSource } from './request/credentials.ts'

/** A secret by the name of its binding in the environment: `{ secret: 'API_KEY' }`. */
export interface SecretName {
  readonly secret: string
}

/** Where credentials come from: a secret for every scheme, one source per scheme, or a function. */
export type OpenAPIAuth<Env = unknown, Props = GrantProps> =
  | SecretName
  | CredentialSource<Env, Props>
  | { readonly [scheme: string]: SecretName | CredentialSource<Env, Props> }

/** What may be different for each caller. */
export interface CallerOptions<Env = unknown, Props = GrantProps> {
  /**
   * The credentials of the API: `{ secret: 'API_KEY' }`, an object with one source for each security
   * scheme of the description, or a function. A function is called for each call of a tool whose operation
   * has security requirements. Default: requests are sent without credentials.
   */
  readonly auth?: OpenAPIAuth<Env, Props>
  /**
   * Headers of every request, such as the version of the API. They replace those of parameters, and not
   * those of `auth`. Results do not show the values of headers whose name contains `auth`, `cookie`,
   * `key`, `secret` or `token`.
   */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((ctx: Context<Env, Props>) => MaybePromise<Readonly<Record<string, string>>>)
  /**
   * The URL in front of the paths: absolute, `http:` or `https:`. A function is called for each call of a
   * tool. Default: the innermost `servers` of the description.
   */
  readonly baseUrl?: string | ((ctx: Context<Env, Props>) => MaybePromise<string>)
}

export interface OpenAPIOptions<Env = unknown, Props = GrantProps>
  extends CallerOptions<Env, Props> {
  /** The name of the server. Default: the title of the description, in lower case with hyphens. */
  readonly name?: string
  /** The version of the server. Default: the version of the description. */
  readonly version?: string
  /** Instructions for the model. */
  readonly instructions?: string
  /** The operations that become tools. Default: all. */
  readonly include?: OperationFilters
  /** Operations that do not become tools, also if they are included. */
  readonly exclude?: OperationFilters
  /** Whether deprecated operations become tools. Default false. */
  readonly deprecated?: boolean
  /** Changes of single operations, by `operationId` or by method and path: `GET /pets/{petId}`. */
  readonly operations?: Readonly<Record<string, OperationOverride<Env, Props>>>
  /** Returns the name of a tool. Default: `operation.name`. */
  readonly toolName?: (operation: OpenAPIOperation) => string
  /**
   * The scopes that a caller of this server needs. `declared`: those of the first OAuth 2 or OpenID
   * Connect requirement of the operation. A function maps an operation to scopes. Default `none`: the
   * description names the scopes of the API, and tokens of this server need not have them.
   */
  readonly scopes?: 'none' | 'declared' | ((operation: OpenAPIOperation) => readonly string[])
  /**
   * `declared`: a tool has an output schema if its operation declares exactly one success with a JSON
   * object. A response that does not match is returned as an error with its text. Default `none`: JSON is
   * returned as structured content without a schema, because clients refuse a result that does not match.
   */
  readonly outputSchemas?: 'none' | 'declared'
  /** Values of server variables. Default: those of the description. */
  readonly serverVariables?: Readonly<Record<string, string>>
  /** Maximum length of an input or output schema in UTF-16 code units of JSON. Default 16 384. */
  readonly maxSchemaLength?: number
  /** Maximum length of the description of a tool in UTF-16 code units. Default 1 024. */
  readonly maxDescriptionLength?: number
  /** Timeout of one request in milliseconds. Default 30 000. */
  readonly timeoutMs?: number
  /** Maximum size of a response in bytes. Default 1 MiB. */
  readonly maxResponseBytes?: number
  /** What happens at an operation that cannot be served. Default `throw`. */
  readonly onUnsupported?: 'throw' | 'skip'
  /** Sends the requests, for example over a service binding. Default: the platform's `fetch`. */
  readonly fetch?: (url: string, init: RequestInit, ctx: Context<Env, Props>) => Promise<Response>
}

/** A successful response, as `transformResponse` receives it. */
export interface TransformableResponse {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON, the text, the bytes as base64, or undefined without a body. */
  readonly body: unknown
}

/** The value of an argument, or a function of the call. Undefined: the argument is not sent. */
export type FixedValue<Env = unknown, Props = GrantProps> =
  | JsonValue
  | ((ctx: Context<Env, Props>) => MaybePromise<JsonValue | undefined>)

/** Changes of one operation. Members that are absent are derived from the description. */
export interface OperationOverride<Env = unknown, Props = GrantProps> extends ToolSettings<Props> {
  /** The name of the tool. */
  readonly name?: string
  /** Leaves the operation out. */
  readonly skip?: boolean
  /** Optional arguments that the tool does not have. */
  readonly hidden?: readonly string[]
  /** Values of arguments that the tool does not have; a function is called for each call. */
  readonly fixed?: Readonly<Record<string, FixedValue<Env, Props>>>
  /** The media type of the request body. */
  readonly requestMediaType?: string
  /** Edits the input schema. */
  readonly inputSchema?: (schema: JsonSchema) => JsonSchema
  /** Changes the arguments before the request is built. */
  readonly transformArguments?: (
    args: Readonly<Record<string, unknown>>,
    ctx: Context<Env, Props>,
  ) => MaybePromise<Readonly<Record<string, unknown>>>
  /** Changes a request before credentials are added. Its URL must stay at the origin of the API. */
  readonly transformRequest?: (request: Request, ctx: Context<Env, Props>) => MaybePromise<Request>
  /** Returns the result of a success. The tool then has no output schema. */
  readonly transformResponse?: (
    response: TransformableResponse,
    ctx: Context<Env, Props>,
  ) => MaybePromise<ToolReturn<undefined>>
}

const DEFAULT_LIMITS = {
  maxSchemaLength: 16_384,
  maxDescriptionLength: 1_024,
  timeoutMs: 30_000,
  maxResponseBytes: 1024 * 1024,
}

/** Limits and defaults, checked. */
export type ResolvedLimits = Readonly<typeof DEFAULT_LIMITS>

/** @throws {TypeError} for a limit that is not above 0 */
export function resolveLimits(options: Partial<ResolvedLimits>): ResolvedLimits {
  const limits = { ...DEFAULT_LIMITS }
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof ResolvedLimits)[]) {
    const value = options[name]
    if (value === undefined) continue
    if (typeof value !== 'number' || !(value > 0)) {
      throw new TypeError(`${name} must be a number above 0`)
    }
    limits[name] = value
  }
  return limits
}
