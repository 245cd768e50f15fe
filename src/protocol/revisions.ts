/**
 * The table of protocol revisions: the only place, with the codecs, that knows their dates.
 * A difference between revisions is a member of a row, never a comparison of dates.
 */

/**
 * `modern` carries its version on every request; `session` opens with `initialize` over Streamable
 * HTTP; `http-sse` is the two-endpoint transport of the first revision.
 */
export type Era = 'modern' | 'session' | 'http-sse'

/** What a revision can spell on the wire. */
export interface WireFeatures {
  /** Tool annotations, audio blocks, the `completions` capability, `message` in progress. */
  readonly audioAndAnnotations: boolean
  /** Titles, `_meta` on definitions and blocks, structured output, resource links, `lastModified`. */
  readonly structuredOutput: boolean
  /** Icons, and what an implementation says of itself beyond name and version. */
  readonly icons: boolean
  /** Several messages in one POST. */
  readonly batching: boolean
  /** Elicitation by address, titled and multiple choices in forms, several blocks in one sampling message. */
  readonly richAsks: boolean
  /** A stream opens with an empty event that has an id, and may be closed and polled. */
  readonly polling: boolean
}

export interface Revision {
  readonly id: string
  readonly era: Era
  readonly features: WireFeatures
}

const ALL: WireFeatures = {
  audioAndAnnotations: true,
  structuredOutput: true,
  icons: true,
  batching: false,
  richAsks: true,
  polling: true,
}

const OLDEST: WireFeatures = {
  audioAndAnnotations: false,
  structuredOutput: false,
  icons: false,
  batching: false,
  richAsks: false,
  polling: false,
}

/** Newest first. */
export const REVISIONS: readonly Revision[] = [
  { id: '2026-07-28', era: 'modern', features: ALL },
  { id: '2025-11-25', era: 'session', features: ALL },
  {
    id: '2025-06-18',
    era: 'session',
    features: { ...OLDEST, audioAndAnnotations: true, structuredOutput: true },
  },
  {
    id: '2025-03-26',
    era: 'session',
    features: { ...OLDEST, audioAndAnnotations: true, batching: true },
  },
  { id: '2024-11-05', era: 'http-sse', features: OLDEST },
]

const byId = new Map(REVISIONS.map((revision) => [revision.id, revision]))

function known(id: string): Revision {
  const revision = byId.get(id)
  if (revision === undefined) throw new TypeError(`No revision ${id} in the table`)
  return revision
}

export const MODERN = known('2026-07-28')

/** What a session speaks that was opened without saying: the transport of the first revision. */
export const OLDEST_SESSION = known('2024-11-05')

/** What `initialize` answers to a version it does not know. */
export const NEWEST_SESSION = known('2025-11-25')

/**
 * What a session-era request without a version header speaks.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
 */
export const UNDECLARED_SESSION = known('2025-03-26')

export function findRevision(id: string): Revision | undefined {
  return byId.get(id)
}

/** Echoes a known version of the session eras; anything else is answered with the newest of them. */
export function negotiateSession(requested: string): Revision {
  const revision = byId.get(requested)
  return revision === undefined || revision.era === 'modern' ? NEWEST_SESSION : revision
}

/** The versions that may stand in a modern request; what `server/discover` lists. */
export const MODERN_VERSIONS: readonly string[] = REVISIONS.filter(
  ({ era }) => era === 'modern',
).map(({ id }) => id)
