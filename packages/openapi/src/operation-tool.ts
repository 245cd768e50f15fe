/**
 * Makes one operation a tool: its configuration, and the handler that calls the API.
 *
 * The body is one argument: flattened into the others it could not be a union, a list or absent, and its names would
 * collide. Output schemas are off by default, because a client refuses a result that a wrong description does not
 * allow.
 */
import type { ReturnedToolResult, ToolAnnotations } from '../../../src/protocol/primitives.ts'
import type { FullContext } from '../../../src/server/context.ts'
import type { CompiledSchema } from '../../../src/server/schema/compile.ts'
import type { Schema } from '../../../src/server/schema/standard-schema.ts'
import type { ToolConfig, ToolReturn } from '../../../src/server/tool.ts'
import type { Caller } from './caller.ts'
import type { HttpMethod } from './document/operation.ts'
import type { SecurityRequirements } from './document/security.ts'
import type { OpenAPIOptions, OperationOverride, ResolvedLimits } from './options.ts'
import { type ApiRequest, buildRequest, type RequestPlan } from './request/build-request.ts'
import { redact, type Secrets } from './request/credentials.ts'
import { type ApiResponse, sendRequest } from './request/send-request.ts'
import { nextPageOf } from './response/next-page.ts'
import { readBody } from './response/read-body.ts'
import { toToolResult } from './response/tool-result.ts'

/** An operation, ready to be called. */
export interface OperationTool {
  readonly name: string
  readonly config: ToolConfig<Schema, Schema | undefined>
  readonly handler: (
    args: Record<string, unknown>,
    ctx: FullContext,
  ) => Promise<ReturnedToolResult | ToolReturn<undefined>>
}

/** What the handler of an operation needs. */
export interface OperationPlan {
  readonly request: RequestPlan
  readonly requirements: SecurityRequirements
  /** The URL of the description. Undefined if it has none, so that the caller's options must have one. */
  readonly baseUrl: string | undefined
  readonly override: OperationOverride
  readonly output: CompiledSchema | undefined
  readonly limits: ResolvedLimits
  readonly fetch: OpenAPIOptions['fetch']
  readonly callerOf: (ctx: FullContext) => Caller
}

/** The annotations that HTTP gives a method. @see https://www.rfc-editor.org/rfc/rfc9110#section-9.2 */
export function annotationsOf(method: HttpMethod): ToolAnnotations {
  const readOnlyHint = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
  const idempotentHint = readOnlyHint || method === 'PUT' || method === 'DELETE'
  return {
    readOnlyHint,
    idempotentHint,
    openWorldHint: true,
    // A POST may create or destroy: it has the default of the protocol, which directories want to be explicit.
    destructiveHint: !readOnlyHint,
  }
}

export function createHandler(plan: OperationPlan): OperationTool['handler'] {
  const { override, limits, output, fetch: send } = plan
  const { transformResponse, hidden = [], fixed = {} } = override
  const shown = plan.request.parameters.filter(
    ({ argument }) => !hidden.includes(argument) && !Object.hasOwn(fixed, argument),
  )
  return async (given, ctx) => {
    const secrets: Secrets = new Set()
    const clean = (text: string) => redact(text, secrets)
    const request = await prepareRequest(plan, given, ctx, secrets)
    const response = await sendRequest(request, {
      send: (url, init) => (send === undefined ? fetch(url, init) : send(url, init, ctx)),
      timeoutMs: override.timeoutMs ?? limits.timeoutMs,
      maxBytes: limits.maxResponseBytes,
      signal: ctx.signal,
    })
    if (transformResponse !== undefined && response.bytes !== undefined && response.status < 400) {
      const { status, headers } = response
      return transformResponse({ status, headers, body: plainBody(response, clean) }, ctx)
    }
    return toToolResult(response, {
      redact: clean,
      nextPage: nextPageOf(response.headers, response.url, shown),
      output,
      maxBytes: limits.maxResponseBytes,
    })
  }
}

async function prepareRequest(
  { request: plan, requirements, baseUrl, override, callerOf }: OperationPlan,
  given: Readonly<Record<string, unknown>>,
  ctx: FullContext,
  secrets: Secrets,
): Promise<ApiRequest> {
  const { transformArguments, transformRequest } = override
  const caller = callerOf(ctx)
  const transformed =
    transformArguments === undefined ? given : await transformArguments(given, ctx)
  const args = { ...plan.defaults, ...transformed, ...(await fixedOf(override, ctx)) }
  const base = (await caller.baseUrlOf?.(ctx)) ?? baseUrl
  if (base === undefined) throw new TypeError('The description has no servers: set baseUrl')
  const built = buildRequest(plan, base, args)
  const request =
    transformRequest === undefined ? built : await changeRequest(built, transformRequest, ctx)
  await caller.authorize(request, requirements, ctx, secrets)
  return request
}

async function fixedOf({ fixed = {} }: OperationOverride, ctx: FullContext) {
  const values = Object.entries(fixed).map(
    async ([name, value]) =>
      [name, typeof value === 'function' ? await value(ctx) : value] as const,
  )
  return Object.fromEntries(await Promise.all(values))
}

async function changeRequest(
  built: ApiRequest,
  transform: NonNullable<OperationOverride['transformRequest']>,
  ctx: FullContext,
): Promise<ApiRequest> {
  const { url, method, headers, body } = built
  const request = await transform(new Request(url, { method, headers, body: body ?? null }), ctx)
  if (new URL(request.url).origin !== new URL(url).origin) {
    throw new TypeError('transformRequest must not change the origin of a request')
  }
  return {
    method: request.method as HttpMethod,
    url: request.url,
    headers: new Headers(request.headers),
    body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
  }
}

function plainBody({ bytes, headers }: ApiResponse, clean: (text: string) => string): unknown {
  const body = readBody(bytes ?? new Uint8Array(), headers.get('content-type'), clean)
  switch (body.kind) {
    case 'empty':
      return undefined
    case 'json':
      return body.value
    case 'text':
      return body.text
    default:
      return body.base64
  }
}
