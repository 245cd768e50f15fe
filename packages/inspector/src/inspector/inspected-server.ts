/** What the page needs to know of its server, as `GET /inspect/config.json` sends it. Types alone: the page imports them. */

export interface InspectedServer {
  readonly serverName: string
  readonly version: string
  /** The URLs of the endpoint without params. */
  readonly endpoints: readonly string[]
  readonly development: boolean
  /** Whether callers need a token. */
  readonly authorization: boolean
  /** The signed-in person; null in development. */
  readonly subject: string | null
  /** Whose arguments and results are shown: of all subjects, or of the person. */
  readonly bodies: 'all' | 'own'
  /** Whether the server has event types. */
  readonly events: boolean
  /** Newest first. */
  readonly revisions: readonly string[]
}
