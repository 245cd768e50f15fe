/**
 * The official clients that keep a session, each as its users get it: the first generation over
 * either transport, and the second as it is by default. They spell things differently; here they do
 * not, so that a test is written once.
 */
import { inject, onTestFinished } from 'vitest'
import { eventually } from './eventually.ts'
import { connectV1, connectV1OverSse } from './v1.ts'
import { connectV2 } from './v2.ts'
import { streamsOf, type Wire, watchWire } from './wire.ts'

const CONNECTORS = {
  v1: connectV1,
  'v1 over HTTP+SSE': connectV1OverSse,
  v2: connectV2,
} satisfies Record<string, Connect>

export type Kind = keyof typeof CONNECTORS

export const KINDS = Object.keys(CONNECTORS) as readonly Kind[]

/** Those that speak Streamable HTTP. */
export const STREAMABLE_KINDS: readonly Kind[] = ['v1', 'v2']

export type Connect = (options: ConnectSessionOptions, wire: Wire) => Promise<Face>

export interface ConnectSessionOptions {
  readonly url: string
  /** What the client offers to speak; by default the newest it knows. */
  readonly version?: string
  readonly capabilities?: object
  /** Goes on in a session that another client has opened. */
  readonly sessionId?: string
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is compared as it is
export type Received = any

export interface CallOptions {
  readonly onprogress?: (progress: object) => void
  readonly signal?: AbortSignal
  /** Takes up a call that another client has begun, instead of making one. */
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

/** What both generations spell alike. */
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

/** A client with what the generations spell differently. */
export interface Face {
  readonly client: Client
  /** As the transport knows it; the older one keeps its own to itself. */
  readonly sessionId: () => string | undefined
  call(name: string, args?: object, options?: CallOptions): Promise<Received>
  complete(params: object): Promise<Received>
  /** Takes what the server tells. */
  on(method: NotificationMethod, take: (params: Received) => void): void
  /** Answers what the server asks. */
  onAsked(method: AskingMethod, give: (params: Received) => object | Promise<object>): void
  /** Ends the session, where the transport has a way to. */
  terminate(): Promise<void>
}

export interface SessionClient extends Face {
  readonly wire: Wire
  /** What the client could not make sense of, or could not reach. */
  readonly errors: readonly Error[]
  /** Answers what the server asks, and returns every question as it comes. */
  answer(
    method: AskingMethod,
    give: (params: Received) => object | Promise<object>,
  ): readonly Received[]
  /** Resolves when as many streams as that have been opened by GET. */
  listening(count?: number): Promise<void>
}

/** A connected client, closed when the test is over. */
export async function connectSession(
  kind: Kind,
  {
    fetch: fetchWith,
    ...options
  }: Partial<ConnectSessionOptions> & { readonly fetch?: typeof fetch } = {},
): Promise<SessionClient> {
  const wire = watchWire(fetchWith)
  const face = await CONNECTORS[kind]({ url: inject('fixtureUrl'), ...options }, wire)
  onTestFinished(() => face.client.close())
  const errors: Error[] = []
  face.client.onerror = (error) => errors.push(error)
  return {
    ...face,
    wire,
    errors,
    answer: (method, give) => {
      const asked: Received[] = []
      face.onAsked(method, (params) => {
        asked.push(params)
        return give(params)
      })
      return asked
    },
    listening: (count = 1) => eventually(() => streamsOf(wire).length).toBe(count),
  }
}
