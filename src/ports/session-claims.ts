/** What a session id says about its session. */
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { FactoryParams } from '../protocol/factory-params.ts'

/** The data sealed into a session id. The server stores none of it. */
export interface SessionClaims {
  /** The random name of the session object. */
  readonly name: string
  readonly transport: 'streamable-http' | 'http-sse'
  /** The negotiated revision; undefined in the era `http-sse`, where the id precedes the negotiation. */
  readonly revision: string | undefined
  readonly clientInfo: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** The digest of the lists when the session began. In the era `http-sse`, of the event after which a client resumes. */
  readonly lists?: string | undefined
  /** What the definition depends on, besides the caller. Absent: nothing. */
  readonly params?: FactoryParams
}
