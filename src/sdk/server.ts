/**
 * `Server` of the SDK, which is `server.server` of an `McpServer`: handlers of whole methods, and what a
 * handler can do for the client of its request.
 */
import { findContext } from '../context/index.ts'
import { hasCapability } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import { LIST_MEMBER, type ListMethod } from '../protocol/primitives.ts'
import type { Context } from '../server/context.ts'
import {
  answerMethod,
  McpServer as EdgewayServer,
  type ServerSource,
  TO_SERVER,
} from '../server/mcp-server.ts'
import { type AuthorMethod, isAuthorMethod, type MethodHandler } from '../server/method-handler.ts'
import { methodError } from './errors.ts'
import type { HandlerExtra } from './extra.ts'
import { runRounds, type VerifyState } from './input-required.ts'
import { notCarried } from './not-carried.ts'
import { type Message, methodOf, type RequestParams } from './request-schemas.ts'
import { createMessage, elicitInput, listRoots, sendNotification, sendRequest } from './requests.ts'
import type { AnySchema, SchemaOutput } from './schema.ts'
import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  ListRootsResult,
  LoggingMessageParams,
  NotificationOptions,
  RequestOptions,
  ServerCapabilities,
  ServerNotification,
  ServerRequest,
} from './types.ts'

/** Name and version, with members for the author alone. */
export type ServerInfo = Implementation | (Implementation & { readonly [member: string]: unknown })

const KINDS: readonly Kind[] = ['tools', 'prompts', 'resources']

/** The lists of a kind. */
const EMPTY_LISTS: Readonly<Record<Kind, readonly ListMethod[]>> = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list'],
}

function emptyList(method: ListMethod): MethodHandler {
  return () => ({ [LIST_MEMBER[method]]: [] })
}

export interface ServerOptions {
  /** Instructions for the model. */
  instructions?: string
  /**
   * Edgeway declares what is registered. A kind that is declared and has no registrations has an empty
   * list. `tasks` is refused.
   */
  capabilities?: ServerCapabilities
  /** Reads the state that handlers return with `inputRequired()` (SDK 2.x). */
  requestState?: { verify?: VerifyState }
  /** Has no effect: Edgeway validates by itself. */
  jsonSchemaValidator?: unknown
  /** Has no effect. */
  debouncedNotificationMethods?: string[]
  /** Has no effect. */
  enforceStrictCapabilities?: boolean
}

/** What a client can do for whom `oninitialized` registers: no client is known when a server is built. */
const ANY_CLIENT: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { context: {}, tools: {} },
  roots: { listChanged: true },
}

/** The kinds that have lists. */
export type Kind = 'tools' | 'prompts' | 'resources'

/** Adds the registrations to the server to serve, and returns the kinds that it has any of. */
export type Register = (server: EdgewayServer) => readonly Kind[]

/** Builds the server to serve, once. Internal. */
export let buildServer: (server: Server, register: Register) => EdgewayServer

/** Whether a server was built, so that nothing can be registered. Internal. */
export let isServed: (server: Server) => boolean

export class Server implements ServerSource {
  /**
   * Called once when the server is served, to register what depends on the client. Then
   * {@link getClientCapabilities} returns everything that a client can declare.
   */
  oninitialized?: () => unknown
  /** Never called: a server has no connection of its own. */
  onclose?: () => void
  /** Never called: errors are reported to telemetry. */
  onerror?: (error: Error) => void
  #initializing = false
  #served: EdgewayServer | undefined
  readonly #handlers = new Map<AuthorMethod, MethodHandler>()
  readonly #info: Implementation
  readonly #options: ServerOptions
  readonly #capabilities: ServerCapabilities

  static {
    isServed = (server) => server.#served !== undefined
    buildServer = (server, register) => {
      server.#served ??= server.#build(register)
      return server.#served
    }
  }

  /** @throws {TypeError} for tasks */
  constructor(info: ServerInfo, options: ServerOptions = {}) {
    if (options.capabilities?.tasks !== undefined || 'taskStore' in options) {
      throw notCarried(
        'Task tools of the SDK are not carried: McpServer of edgeway has the option task.',
      )
    }
    this.#info = info
    this.#options = options
    this.#capabilities = { ...options.capabilities }
  }

  [TO_SERVER](): EdgewayServer {
    return buildServer(this, () => [])
  }

  #build(register: Register): EdgewayServer {
    this.#initializing = true
    try {
      this.oninitialized?.()
    } finally {
      this.#initializing = false
    }
    const { instructions } = this.#options
    // Other members, such as the configuration of a subclass, are not for clients.
    const { name, version, title, description, websiteUrl, icons } = this.#info
    const info = { name, version, title, description, websiteUrl, icons } as Implementation
    const server = new EdgewayServer(info, {
      errors: 'message',
      ...(instructions === undefined ? undefined : { instructions }),
    })
    const registered = register(server)
    for (const kind of KINDS) {
      if (this.#capabilities[kind] === undefined || registered.includes(kind)) continue
      for (const method of EMPTY_LISTS[kind]) answerMethod(server, method, emptyList(method))
    }
    for (const [method, handler] of this.#handlers) answerMethod(server, method, handler)
    return server
  }

  /**
   * Answers a method instead of the registrations. `request` is a method or a schema that names one.
   *
   * @throws {TypeError} for a method that Edgeway answers itself, and when the server is served
   */
  setRequestHandler<S extends AnySchema>(
    request: S,
    handler: (request: SchemaOutput<S>, extra: HandlerExtra) => unknown,
  ): void
  setRequestHandler<Method extends keyof RequestParams>(
    method: Method,
    handler: (request: Message<RequestParams[Method]>, extra: HandlerExtra) => unknown,
  ): void
  setRequestHandler(
    method: string,
    handler: (request: Message<Record<string, unknown>>, extra: HandlerExtra) => unknown,
  ): void
  setRequestHandler(
    request: unknown,
    handler: (request: never, extra: HandlerExtra) => unknown,
  ): void {
    const method = methodOf(request)
    if (isServed(this)) {
      throw notCarried(`A handler of ${method} was set while the server is served.`)
    }
    if (!isAuthorMethod(method)) throw notCarried(`${method} cannot have a handler.`)
    this.#handlers.set(method, async (params, ctx) => {
      const { requestState } = this.#options
      try {
        return await runRounds(ctx, requestState?.verify, (extra) =>
          handler({ method, params } as never, extra),
        )
      } catch (error) {
        throw methodError(error)
      }
    })
  }

  /** Removes what {@link setRequestHandler} has set. */
  removeRequestHandler(method: string): void {
    this.#handlers.delete(method as AuthorMethod)
  }

  /** Has no effect: Edgeway receives the notifications of clients, and passes none on. */
  setNotificationHandler(
    _notification: unknown,
    _handler: (notification: never) => unknown,
  ): void {}

  removeNotificationHandler(_method: string): void {}

  /** The session of the running request. */
  get transport(): { readonly sessionId: string | undefined } | undefined {
    const ctx = findContext()
    return ctx === undefined ? undefined : { sessionId: ctx.session?.id }
  }

  /** The capabilities of the client of the running request; undefined outside of a handler. */
  getClientCapabilities(): ClientCapabilities | undefined {
    if (this.#initializing) return ANY_CLIENT
    const capabilities = findContext()?.client.capabilities
    if (capabilities === undefined) return undefined
    const { elicitation } = capabilities
    // An empty object means forms, as the SDK reads it.
    const isEmpty =
      hasCapability(capabilities, ['elicitation']) &&
      Object.keys(elicitation as object).length === 0
    return (
      isEmpty ? { ...capabilities, elicitation: { form: {} } } : capabilities
    ) as ClientCapabilities
  }

  /** The name and version of the client of the running request; undefined outside of a handler. */
  getClientVersion(): Implementation | undefined {
    return findContext()?.client.info
  }

  /** The protocol revision of the running request. */
  getNegotiatedProtocolVersion(): string | undefined {
    return findContext()?.client.protocolVersion
  }

  getCapabilities(): ServerCapabilities {
    return this.#capabilities
  }

  /** Has no effect: Edgeway declares what is registered. */
  registerCapabilities(capabilities: ServerCapabilities): void {
    Object.assign(this.#capabilities, capabilities)
  }

  async elicitInput(params: ElicitRequestParams, _?: RequestOptions): Promise<ElicitResult> {
    return elicitInput(running('elicitInput'), params)
  }

  async createMessage(
    params: CreateMessageRequestParams,
    _?: RequestOptions,
  ): Promise<CreateMessageResult> {
    return createMessage(running('createMessage'), params)
  }

  async listRoots(_params?: object, _options?: RequestOptions): Promise<ListRootsResult> {
    return listRoots(running('listRoots'))
  }

  async ping(): Promise<object> {
    return sendRequest(running('ping'), { method: 'ping' })
  }

  async request(request: ServerRequest, _schema?: object, _?: RequestOptions): Promise<object> {
    return sendRequest(running('request'), request)
  }

  async notification(notification: ServerNotification, _?: NotificationOptions): Promise<void> {
    return sendNotification(running('notification'), notification)
  }

  async sendLoggingMessage(params: LoggingMessageParams, _sessionId?: string): Promise<void> {
    return this.notification({ method: 'notifications/message', params })
  }

  async sendResourceUpdated(params: { uri: string }): Promise<void> {
    return this.notification({ method: 'notifications/resources/updated', params })
  }

  async sendResourceListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/resources/list_changed' })
  }

  async sendToolListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/tools/list_changed' })
  }

  async sendPromptListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/prompts/list_changed' })
  }

  /** Returns a function that reports that a person has finished at the URL of an elicitation. */
  createElicitationCompletionNotifier(
    elicitationId: string,
    _?: NotificationOptions,
  ): () => Promise<void> {
    const ctx = running('createElicitationCompletionNotifier')
    const method = 'notifications/elicitation/complete'
    return () => sendNotification(ctx, { method, params: { elicitationId } })
  }

  /** @throws {TypeError} always: `createEdgeway(server)` serves it */
  async connect(_transport: unknown): Promise<never> {
    throw notCarried(
      'A server is not connected to a transport: export createEdgeway(server).',
      'the-entry',
    )
  }

  /** Has no effect: a server has no connection of its own. */
  async close(): Promise<void> {}
}

/** @throws {Error} outside of a handler */
function running(method: string): Context {
  const ctx = findContext()
  if (ctx === undefined) {
    throw notCarried(`server.${method}() was called outside of a handler: there is no client.`)
  }
  return ctx
}
