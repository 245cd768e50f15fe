/**
 * `Server` of the SDK, which is `server.server` of an `McpServer`: handlers of whole methods. What a handler
 * can do for the client of its request is in `server-client.ts`.
 */
import type { DeclaredCapabilities } from '../../../src/protocol/capabilities.ts'
import type { Implementation } from '../../../src/protocol/content.ts'
import { LIST_MEMBER, type ListMethod } from '../../../src/protocol/primitives.ts'
import { defined } from '../../../src/server/define/checks.ts'
import type { DefinitionWarning } from '../../../src/server/definition.ts'
import {
  addWarning,
  answerMethod,
  declareCapabilities,
  McpServer as EdgewayServer,
  type ServerSource,
  TO_SERVER,
} from '../../../src/server/mcp-server.ts'
import {
  type AuthorMethod,
  isAuthorMethod,
  type MethodHandler,
} from '../../../src/server/method-handler.ts'
import { methodError } from './errors.ts'
import type { HandlerExtra } from './extra.ts'
import { loadableIcons } from './icons.ts'
import type { VerifyState } from './input-required.ts'
import { notCarried } from './not-carried.ts'
import type { Message, MessageSchema, RequestParams } from './request-schemas.ts'
import { runRounds } from './rounds.ts'
import type { AnySchema, SchemaOutput } from './schema.ts'
import { ServerClient } from './server-client.ts'
import type { ClientCapabilities, ServerCapabilities } from './types.ts'

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
   * list. Of the rest, `experimental` and extensions that are not of the protocol are declared as given.
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

export class Server extends ServerClient implements ServerSource {
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

  /** @throws {TypeError} for the option `taskStore` */
  constructor(info: ServerInfo, options: ServerOptions = {}) {
    super()
    if ('taskStore' in options) {
      throw notCarried('Remove the option taskStore: Edgeway stores tasks itself.', 'task-tools')
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
    const { name, version, title, description, websiteUrl } = this.#info
    const warnings: DefinitionWarning[] = []
    const icons = loadableIcons(`Server "${name}"`, this.#info.icons, (one) => warnings.push(one))
    const info = { name, version, title, description, websiteUrl, icons } as Implementation
    const server = new EdgewayServer(info, {
      errors: 'message',
      ...(instructions === undefined ? undefined : { instructions }),
    })
    for (const warning of warnings) addWarning(server, warning)
    declareCapabilities(server, ownCapabilities(this.#capabilities))
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

  /** While `oninitialized` registers, everything that a client can declare. */
  override getClientCapabilities(): ClientCapabilities | undefined {
    return this.#initializing ? ANY_CLIENT : super.getClientCapabilities()
  }

  getCapabilities(): ServerCapabilities {
    return this.#capabilities
  }

  /** The same as the option `capabilities`. */
  registerCapabilities(capabilities: ServerCapabilities): void {
    for (const [name, added] of Object.entries(capabilities)) {
      Reflect.set(this.#capabilities, name, {
        ...Reflect.get(this.#capabilities, name),
        ...added,
      })
    }
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

/** Features declare the extensions of the protocol, because they serve them. */
const OF_PROTOCOL = 'io.modelcontextprotocol/'

/** What an author declares by name. */
function ownCapabilities({ experimental, extensions }: ServerCapabilities): DeclaredCapabilities {
  const own = Object.entries(extensions ?? {}).filter(([id]) => !id.startsWith(OF_PROTOCOL))
  const declared = {
    experimental,
    extensions: own.length > 0 ? Object.fromEntries(own) : undefined,
  }
  // The types of the SDK do not say that the values are JSON.
  return defined(declared) as DeclaredCapabilities
}

/**
 * Returns the method that a schema names: one of these, or one of the SDK itself.
 *
 * @throws {TypeError} for a schema without a method
 */
function methodOf(schema: unknown): string {
  if (typeof schema === 'string') return schema
  const method = (schema as Partial<MessageSchema<unknown>> | undefined)?.shape?.method
  if (typeof method?.value !== 'string') {
    throw new TypeError('A request handler needs a method, or a schema that names one')
  }
  return method.value
}
