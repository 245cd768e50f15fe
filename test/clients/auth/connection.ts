/** One interface to both generations of the official client. */
import type { Received } from '../client-interface.ts'
import type { MemoryProvider } from './memory-provider.ts'

export interface ConnectionOptions {
  /** The MCP endpoint. */
  readonly url: string
  readonly provider: MemoryProvider
  readonly fetch: typeof fetch
  readonly capabilities: object
  /** Continues an existing session. */
  readonly sessionId: string | undefined
}

export interface Connection {
  /** @throws {Error} `Unauthorized` after a redirect of the person to the authorization server */
  connect(): Promise<void>
  /** Handles the authorization response. */
  finishAuth(callback: URL): Promise<void>
  /** Redirects the person to authorize the given scope. */
  requestScope(scope: string): Promise<void>
  call(name: string, args: object): Promise<Received>
  readResource(uri: string): Promise<Received>
  /** The session id of the transport. Undefined over HTTP+SSE. */
  sessionId(): string | undefined
  /** Subscribes to resources and calls back for every update. */
  listen(uris: readonly string[], onUpdated: (uri: string) => void): Promise<void>
  close(): Promise<void>
}

export type Open = (options: ConnectionOptions) => Connection
