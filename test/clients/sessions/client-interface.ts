/** The interface to which the official clients of both generations are adapted, so that a test is written once. */
import type { Wire } from './wire.ts'

export type Connect = (options: ConnectSessionOptions, wire: Wire) => Promise<AdaptedClient>

export interface ConnectSessionOptions {
  readonly url: string
  /** The revision that the client offers. Default: the newest that it supports. */
  readonly version?: string
  readonly capabilities?: object
  /** Continues a session that another client opened. */
  readonly sessionId?: string
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

export type AskingMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

export type NotificationMethod =
  | 'notifications/message'
  | 'notifications/tools/list_changed'
  | 'notifications/prompts/list_changed'
  | 'notifications/resources/list_changed'
  | 'notifications/resources/updated'
  | 'notifications/elicitation/complete'

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
  setLoggingLevel(level: 'debug' | 'info' | 'warning' | 'error'): Promise<object>
  subscribeResource(params: { uri: string }): Promise<object>
  unsubscribeResource(params: { uri: string }): Promise<object>
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
  /** Ends the session with DELETE. The HTTP+SSE transport cannot. */
  terminate(): Promise<void>
}

/** The default, with more retries: a restarted server needs several seconds. */
export const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 20,
}
