/** A request of the page, and what it receives before the response. */

export type Params = Readonly<Record<string, unknown>>

export interface Notification {
  readonly method: string
  readonly params: Params
}

/** A request of the server within a call, which the person answers. */
export interface Ask {
  readonly key: string
  readonly method: string
  readonly params: Params
}

export interface RequestOptions {
  /** Of a tool: its arguments that are also sent as headers are found in it. */
  readonly inputSchema?: Params | undefined
  readonly signal?: AbortSignal | undefined
  readonly onNotification?: (notification: Notification) => void
  /** Resolves with a response to each ask, by its key. In a session, the server asks before it responds. */
  readonly onAsks?: (asks: readonly Ask[]) => Promise<Params>
}
