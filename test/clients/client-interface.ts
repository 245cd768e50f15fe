/** The interface to which the official clients of both generations are adapted, so that a test is written once. */
import type { MemoryProvider } from './auth/memory-provider.ts'
import type { Wire } from './wire.ts'

export type Connect = (options: ConnectOptions, wire: Wire) => Promise<AdaptedClient>

export interface ConnectOptions {
  readonly url: string
  /** The revision that the client offers. Default: the newest that it supports. */
  readonly version?: string
  readonly capabilities?: object
  /** Continues a session that another client opened. */
  readonly sessionId?: string | undefined
  readonly authProvider?: MemoryProvider
}

// biome-ignore lint/suspicious/noExplicitAny: tests compare what was received as it is
export type Received = any

export interface CallOptions {
  readonly onprogress?: (progress: object) => void
  readonly signal?: AbortSignal
  /** Resumes a call that another client started, instead of starting one. */
  readonly resumptionToken?: string
  readonly onresumptiontoken?: (token: string) => void
}

export type LogLevel = 'debug' | 'info' | 'warning' | 'error'

export type AskingMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

export type NotificationMethod =
  | 'notifications/message'
  | 'notifications/tools/list_changed'
  | 'notifications/prompts/list_changed'
  | 'notifications/resources/list_changed'
  | 'notifications/resources/updated'
  | 'notifications/elicitation/complete'

export type List = 'tools' | 'prompts' | 'resources'

export const LISTS: readonly List[] = ['tools', 'prompts', 'resources']

/** The methods that both generations have in common. */
interface Client {
  onerror?: ((error: Error) => void) | undefined
  ping(): Promise<object>
  listTools(params?: object): Promise<Received>
  listResources(params?: object): Promise<Received>
  listResourceTemplates(params?: object): Promise<Received>
  listPrompts(params?: object): Promise<Received>
  readResource(params: { uri: string }): Promise<Received>
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<Received>
  subscribeResource(params: { uri: string }): Promise<object>
  unsubscribeResource(params: { uri: string }): Promise<object>
  setLoggingLevel(level: LogLevel): Promise<object>
  sendRootsListChanged(): Promise<void>
  getServerCapabilities(): object | undefined
  getServerVersion(): object | undefined
  getInstructions(): string | undefined
  close(): Promise<void>
}

/** A client, and the methods in which the generations differ. */
export interface AdaptedClient {
  readonly client: Client
  /** The session id of the transport. The HTTP+SSE transport does not expose its own. */
  readonly sessionId: () => string | undefined
  call(name: string, args?: object, options?: CallOptions): Promise<Received>
  complete(params: object): Promise<Received>
  /** Handles notifications of the server. */
  on(method: NotificationMethod, handler: (params: Received) => void): void
  /** Answers requests of the server. */
  onAsked(method: AskingMethod, respond: (params: Received) => object | Promise<object>): void
  /** Sets the level for the session, or for each later call of a modern client. */
  setLogLevel(level: LogLevel): Promise<void>
  /**
   * Subscribes to resources, and returns a function that ends the subscription. A modern client names the lists
   * too; the others receive the changes of every list.
   */
  subscribe(uris: readonly string[], lists?: readonly List[]): Promise<() => Promise<void>>
  /** Ends the session with DELETE. The HTTP+SSE transport cannot. */
  terminate(): Promise<void>
}

/** The subscriptions and the log level of a client that has a session. */
export function ofSession(client: Client): Pick<AdaptedClient, 'setLogLevel' | 'subscribe'> {
  return {
    setLogLevel: async (level) => {
      await client.setLoggingLevel(level)
    },
    subscribe: async (uris) => {
      for (const uri of uris) await client.subscribeResource({ uri })
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri })
      }
    },
  }
}

/** The default, with more retries: a restarted server needs several seconds. */
export const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 20,
}

/** The text of a result that is one text block. @throws for any other result */
export function textOf({ content }: { readonly content: readonly object[] }): string {
  const [block] = content
  if (content.length !== 1 || block === undefined || !('text' in block)) {
    throw new Error(`Not one text block: ${JSON.stringify(content)}`)
  }
  return String(block.text)
}
