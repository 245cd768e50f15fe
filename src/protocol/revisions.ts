/**
 * The table of protocol revisions. Only this file and the codecs know their dates. A difference between
 * revisions is a member of a row, never a comparison of dates.
 */

/**
 * `modern`: every request names its revision. `session`: Streamable HTTP, opened by `initialize`.
 * `http-sse`: the transport of the first revision, with two endpoints.
 */
export type Era = 'modern' | 'session' | 'http-sse'

/** The features of a revision's wire form. */
export interface WireFeatures {
  /** Tool annotations, audio blocks, the `completions` capability, `message` in progress. */
  readonly audioAndAnnotations: boolean
  /** Titles, `_meta` on definitions and blocks, structured output, resource links, `lastModified`. */
  readonly structuredOutput: boolean
  /** Icons, and the members of an implementation besides name, version and title. */
  readonly icons: boolean
  /** Batches: several messages in one POST. */
  readonly batching: boolean
  /** URL-mode elicitation, titled and multiple choices in forms, several blocks in one sampling message. */
  readonly richAsks: boolean
  /** A stream begins with an empty event that has an id, and the server may close it for polling. */
  readonly polling: boolean
  /** Experimental tasks: the client asks for a task, and fetches its result. */
  readonly tasks: boolean
  /** Clients and servers name the extensions that they have. */
  readonly extensions: boolean
  /** Output schemas and structured content of any type, and property schemas that are `true` or `false`. */
  readonly anySchema: boolean
}

export type RevisionId = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05'

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
  tasks: true,
  extensions: true,
  anySchema: false,
}

const NONE: WireFeatures = {
  audioAndAnnotations: false,
  structuredOutput: false,
  icons: false,
  batching: false,
  richAsks: false,
  polling: false,
  tasks: false,
  extensions: false,
  anySchema: false,
}

/** Newest first. */
export const REVISIONS: readonly (Revision & { readonly id: RevisionId })[] = [
  { id: '2026-07-28', era: 'modern', features: { ...ALL, tasks: false, anySchema: true } },
  { id: '2025-11-25', era: 'session', features: ALL },
  {
    id: '2025-06-18',
    era: 'session',
    features: { ...NONE, audioAndAnnotations: true, structuredOutput: true },
  },
  {
    id: '2025-03-26',
    era: 'session',
    features: { ...NONE, audioAndAnnotations: true, batching: true },
  },
  { id: '2024-11-05', era: 'http-sse', features: NONE },
]

const byId = new Map<string, Revision>(REVISIONS.map((revision) => [revision.id, revision]))

function revisionOf(id: RevisionId): Revision {
  const revision = byId.get(id)
  if (revision === undefined) throw new TypeError(`No revision ${id} in the table`)
  return revision
}

export const MODERN = revisionOf('2026-07-28')

/** The revision of a session that has not been initialised yet (transport of 2024-11-05). */
export const OLDEST_SESSION = revisionOf('2024-11-05')

/** The revision that `initialize` answers to an unknown version. */
export const NEWEST_SESSION = revisionOf('2025-11-25')

/**
 * The revision of a session-era request without a version header.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
 */
export const UNDECLARED_SESSION = revisionOf('2025-03-26')

export function findRevision(id: string): Revision | undefined {
  return byId.get(id)
}

/** Returns the requested revision if it is one of the session eras, otherwise the newest of them. */
export function negotiateSession(requested: string): Revision {
  const revision = byId.get(requested)
  return revision === undefined || revision.era === 'modern' ? NEWEST_SESSION : revision
}

/** The revisions that `initialize` can negotiate, the newest first. */
export const SESSION_VERSIONS: readonly string[] = REVISIONS.filter(
  ({ era }) => era !== 'modern',
).map(({ id }) => id)

/** The revisions that a modern request may name; `server/discover` lists them. */
export const MODERN_VERSIONS: readonly string[] = REVISIONS.filter(
  ({ era }) => era === 'modern',
).map(({ id }) => id)
