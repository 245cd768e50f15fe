/** The second argument of a handler: `extra` of the SDK 1.x and `ctx` of 2.x, in one object. */
import type { FullContext } from '../../../src/server/context.ts'
import type { FactoryContext } from '../../../src/server/factory.ts'
import { notCarried } from './not-carried.ts'
import { createMessage, elicitInput, sendNotification, sendRequest } from './requests.ts'
import { type AnySchema, isSchema, type SchemaOutput } from './schema.ts'
import type {
  AuthInfo,
  ClientResult,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  LoggingLevel,
  RequestId,
  RequestInfo,
  RequestMeta,
  RequestOptions,
  ServerNotification,
  ServerRequest,
} from './types.ts'

/** The second argument of a handler in the SDK 1.x. */
export interface RequestHandlerExtra<
  Request extends ServerRequest = ServerRequest,
  Notification extends ServerNotification = ServerNotification,
> {
  signal: AbortSignal
  authInfo?: AuthInfo
  sessionId?: string
  _meta?: RequestMeta
  requestId: RequestId
  requestInfo?: RequestInfo
  sendNotification: (notification: Notification) => Promise<void>
  sendRequest: <S extends AnySchema>(
    request: Request,
    resultSchema: S,
    options?: RequestOptions,
  ) => Promise<SchemaOutput<S>>
  closeSSEStream?: () => void
}

/** The second argument of a handler in the SDK 2.x. */
export interface ServerContext {
  sessionId?: string
  mcpReq: {
    id: RequestId
    method: string
    _meta?: RequestMeta
    signal: AbortSignal
    /** The members of `_meta` that the protocol reserves (modern era). */
    envelope?: { [key: string]: unknown }
    /** The answers to the requests of the last `inputRequired()`. */
    inputResponses?: Record<string, unknown>
    /** The state of the last `inputRequired()`. */
    requestState: <T = unknown>() => T | undefined
    send: <Method extends string>(
      request: ServerRequest & { method: Method },
      options?: RequestOptions,
    ) => Promise<ClientResult<Method>>
    notify: (notification: ServerNotification) => Promise<void>
    log: (level: LoggingLevel, data: unknown, logger?: string) => Promise<void>
    elicitInput: (params: ElicitRequestParams, options?: RequestOptions) => Promise<ElicitResult>
    requestSampling: (
      params: CreateMessageRequestParams,
      options?: RequestOptions,
    ) => Promise<CreateMessageResult>
  }
  http?: {
    authInfo?: AuthInfo
    /** The request, of which Edgeway keeps the headers, without credentials. */
    req?: { readonly headers: Headers }
    closeSSE?: () => void
  }
}

/** What every handler receives: both shapes. */
export interface HandlerExtra extends RequestHandlerExtra, ServerContext {}

/** The answers and the state of the round before; see `input-required.ts`. */
export interface Round {
  readonly inputResponses?: Record<string, unknown>
  readonly requestState?: unknown
}

/** Computes members when they are read: most handlers read none. */
export function createExtra(
  ctx: FullContext,
  { inputResponses, requestState }: Round = {},
): HandlerExtra {
  const { id, method } = ctx.request
  const { envelope, meta } = liftEnvelope(ctx.request.meta)
  const notify = (notification: ServerNotification) => sendNotification(ctx, notification)
  return {
    get signal() {
      return ctx.signal
    },
    ...(meta === undefined ? undefined : { _meta: meta }),
    get authInfo() {
      return authInfoOf(ctx.auth)
    },
    get sessionId() {
      return ctx.session?.id
    },
    requestId: id,
    get requestInfo() {
      return { headers: Object.fromEntries(ctx.request.headers) }
    },
    sendNotification: notify,
    sendRequest: async (request, resultSchema) =>
      parse(resultSchema, await sendRequest(ctx, request)),
    closeSSEStream: () => ctx.closeStream(),
    mcpReq: {
      id,
      method,
      get signal() {
        return ctx.signal
      },
      ...(meta === undefined ? undefined : { _meta: meta }),
      ...(envelope === undefined ? undefined : { envelope }),
      ...(inputResponses === undefined ? undefined : { inputResponses }),
      requestState: <T>() => requestState as T | undefined,
      // The method of the request names the type of its result.
      send: (request) => sendRequest(ctx, request) as Promise<never>,
      notify,
      log: (level, data, logger) => ctx.log(level, data, logger),
      elicitInput: (params) => elicitInput(ctx, params),
      requestSampling: (params) => createMessage(ctx, params),
    },
    http: {
      get authInfo() {
        return authInfoOf(ctx.auth)
      },
      get req() {
        return { headers: ctx.request.headers }
      },
      closeSSE: () => ctx.closeStream(),
    },
  }
}

/** Separates the reserved members of `_meta`, as the SDK 2.x does. */
function liftEnvelope(sent: FullContext['request']['meta']) {
  if (sent === undefined) return { envelope: undefined, meta: undefined }
  const members = Object.entries(sent)
  const own = members.filter(([key]) => !key.startsWith(RESERVED))
  const reserved = members.filter(([key]) => key.startsWith(RESERVED))
  return {
    envelope: reserved.length === 0 ? undefined : Object.fromEntries(reserved),
    meta: own.length === 0 ? undefined : Object.fromEntries(own),
  }
}

const RESERVED = 'io.modelcontextprotocol/'

export function authInfoOf(auth: FactoryContext['auth']): AuthInfo | undefined {
  if (auth === undefined) return undefined
  const { clientId, scopes, resource, props, subject, issuer, token } = auth
  const info = {
    clientId,
    scopes: [...scopes],
    ...(URL.canParse(resource) ? { resource: new URL(resource) } : undefined),
    ...(props === undefined ? undefined : { extra: { ...props } }),
    subject,
    issuer,
  }
  // Not enumerable: a handler that logs the caller must not fail.
  return Object.defineProperty(info, 'token', {
    get: () => {
      if (token !== undefined) return token
      throw notCarried('The access token is not exposed to handlers.', 'authinfo')
    },
  }) as typeof info & { readonly token: string }
}

/** Parses the result of a request as the SDK does, with the schema that the handler passes. */
async function parse<S extends AnySchema>(schema: S, result: object): Promise<SchemaOutput<S>> {
  if (!isSchema(schema)) return result as SchemaOutput<S>
  const { validate } = schema['~standard'] as AnySchema['~standard'] & {
    readonly validate: (value: unknown) => unknown
  }
  const outcome = (await validate(result)) as {
    readonly value: SchemaOutput<S>
    readonly issues?: readonly { readonly message: string }[]
  }
  if (outcome.issues === undefined) return outcome.value
  throw new Error(`The result of the client does not fit: ${outcome.issues[0]?.message}`)
}
