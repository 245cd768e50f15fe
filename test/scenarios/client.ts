/** The interface to which every client is adapted, so that a scenario is written once. */
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import type { OAuthClientProvider as V1Provider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { Wire } from './wire.ts'

export type Connect = (options: ConnectOptions, wire: Wire) => Promise<AdaptedClient>

export interface ConnectOptions {
  readonly url: string
  /** The revision that the client offers. Default: the newest that it supports. */
  readonly version?: string
  readonly capabilities?: object
  /** Continues a session that another client opened. */
  readonly sessionId?: string | undefined
  readonly authProvider?: OAuthClientProvider & V1Provider
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

export const ASKING_METHODS = [
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
] as const satisfies readonly AskingMethod[]

/** What a client receives without asking for it, as it shows it to its user: a log message or a change. */
export type Notice =
  | { readonly log: string; readonly data: unknown }
  | { readonly changed: List }
  | { readonly updated: string }
  | { readonly completed: string }

export type List = 'tools' | 'prompts' | 'resources'

export const LISTS: readonly List[] = ['tools', 'prompts', 'resources']

/** The methods that all clients have in common, by the names of the official SDK. */
export interface Client {
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
  getServerCapabilities(): object | undefined
  getServerVersion(): object | undefined
  getInstructions(): string | undefined
  close(): Promise<void>
}

/** A client, and the methods in which they differ. */
export interface AdaptedClient {
  readonly client: Client
  /** The session id of the transport. The HTTP+SSE transport does not expose its own. */
  readonly sessionId: () => string | undefined
  call(name: string, args?: object, options?: CallOptions): Promise<Received>
  complete(params: object): Promise<Received>
  /** What the client has received so far. */
  readonly notices: () => readonly Notice[]
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

/** The notification of each notice, and what a client shows of its params. */
export const NOTICES = {
  'notifications/message': ({ level, data }) => ({ log: level, data }),
  'notifications/tools/list_changed': () => ({ changed: 'tools' }),
  'notifications/prompts/list_changed': () => ({ changed: 'prompts' }),
  'notifications/resources/list_changed': () => ({ changed: 'resources' }),
  'notifications/resources/updated': ({ uri }) => ({ updated: uri }),
  'notifications/elicitation/complete': ({ elicitationId }) => ({ completed: elicitationId }),
} as const satisfies Record<string, (params: Received) => Notice>

export type NoticeMethod = keyof typeof NOTICES

/** Collects the notices of a client that calls back for each notification. */
export function collectNotices(
  on: (method: NoticeMethod, receive: (params: Received) => void) => void,
): () => readonly Notice[] {
  const notices: Notice[] = []
  for (const [method, show] of Object.entries(NOTICES)) {
    on(method as NoticeMethod, (params) => notices.push(show(params)))
  }
  return () => notices
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
