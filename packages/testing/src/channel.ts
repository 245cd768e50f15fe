/** What a test client needs of a connection. There is one implementation for each era. */
import type { CHANGES, ListChangeKind } from '../../../src/ports/change-kinds.ts'
import type { LogLevel } from '../../../src/protocol/log-level.ts'
import type { Revision } from '../../../src/protocol/revisions.ts'
import type { ReceivedAsk } from './asks.ts'
import type { Fetch } from './post-channel.ts'
import type { WireMessage } from './wire-message.ts'

export interface RequestSettings {
  readonly signal?: AbortSignal | undefined
  /** Receives each state of the task that the request has become, while the client follows it. */
  readonly onState?: (state: Readonly<Record<string, unknown>>) => void
  /** False returns a task as the server has created it. Default true. */
  readonly follow?: boolean | undefined
  /** The parameters that the request repeats in headers. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface StreamSettings {
  readonly signal: AbortSignal
  readonly onMessage: (message: WireMessage) => void
}

/** What a server says about itself. */
export interface ServerIntroduction {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string }
  readonly capabilities: Readonly<Record<string, object>>
  readonly instructions: string | undefined
}

/** Changes to listen to, spelled as in the filter of `subscriptions/listen`. */
export interface ListenFilter
  extends Readonly<Partial<Record<(typeof CHANGES)[ListChangeKind]['filter'], boolean>>> {
  /** URIs of resources. */
  readonly resourceSubscriptions?: readonly string[]
}

export interface Channel {
  readonly introduction: ServerIntroduction
  /** Sends a request and returns its result, after all of its asks were answered. */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    settings?: RequestSettings,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Sends a request whose notifications arrive on its own stream, and resolves when the stream ends. */
  stream(
    method: string,
    params: Readonly<Record<string, unknown>>,
    settings: StreamSettings,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Resolves when the changes of the filter are certain to arrive. Returns a function that ends it. */
  listen(filter: ListenFilter, onChange: (message: WireMessage) => void): Promise<() => void>
  close(): Promise<void>
}

export interface ChannelOptions {
  readonly send: Fetch
  readonly url: string
  readonly revision: Revision
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly capabilities: object
  readonly logLevel: LogLevel | undefined
  /** Whether requests leave out the session that the server has opened. Default false. */
  readonly dropsSessionId?: boolean
  /** Whether the client follows what the server has made a task. Default false. */
  readonly followsTasks?: boolean
  /** @param asker what the server was doing, such as `Tool "deploy"` */
  readonly answer: (asker: string, ask: ReceivedAsk) => Promise<Readonly<Record<string, unknown>>>
  /** Receives notifications. */
  readonly onNotification: (message: WireMessage) => void
}

/** Reads the members that a result of `server/discover` and one of `initialize` share. */
export function readIntroduction(
  info: unknown,
  { capabilities, instructions }: Readonly<Record<string, unknown>>,
): ServerIntroduction {
  return {
    info: info as ServerIntroduction['info'],
    capabilities: capabilities as ServerIntroduction['capabilities'],
    instructions: instructions as string | undefined,
  }
}

/** What a request is about, for messages to the author of a test. */
export function subjectOf(method: string, params: Readonly<Record<string, unknown>>): string {
  if (method === 'tools/call') return `Tool "${params.name}"`
  if (method === 'prompts/get') return `Prompt "${params.name}"`
  if (method === 'resources/read') return `Resource ${params.uri}`
  return method
}
