/** What either generation of the official client does for an app, spelt alike. */
import type { Received } from '../sessions/session-client.ts'
import type { MemoryProvider } from './memory-provider.ts'

export interface ConnectionOptions {
  /** The MCP endpoint. */
  readonly url: string
  readonly provider: MemoryProvider
  readonly fetch: typeof fetch
  readonly capabilities: object
  /** Goes on in a session that was opened before. */
  readonly sessionId: string | undefined
}

export interface Connection {
  /** @throws {Error} `Unauthorized`, when the person has been asked and has to answer first */
  connect(): Promise<void>
  /** Takes what the person's browser has brought back. */
  finishAuth(callback: URL): Promise<void>
  /** Asks the person for certain scopes, whatever the server's challenge says. */
  askFor(scope: string): Promise<void>
  call(name: string, args: object): Promise<Received>
  readResource(uri: string): Promise<Received>
  /** As the transport knows it; only Streamable HTTP tells. */
  sessionId(): string | undefined
  /** Calls back for every resource that is said to have changed, and opens what it takes to be told. */
  listen(uris: readonly string[], onUpdated: (uri: string) => void): Promise<void>
  close(): Promise<void>
}

export type Open = (options: ConnectionOptions) => Connection
