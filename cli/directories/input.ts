/** What the rules of directories compare. A member that is not known is absent, and its rules do not apply. */
import type { Surface } from '../definition/surface.ts'
import type { ListingFacts } from './listing-facts.ts'

export interface DirectoryInput {
  readonly surface?: Surface
  /** The MCP endpoint, as people paste it. */
  readonly url?: string
  /** What the Server Card says; unchecked. */
  readonly card?: unknown
  /** The AI Catalog; unchecked. */
  readonly catalog?: unknown
  /** The file of the MCP registry; unchecked. */
  readonly serverJson?: unknown
  /** The `plugin.json` of the package; unchecked. */
  readonly plugin?: unknown
  readonly wellKnown?: WellKnownAnswers
  readonly authorization?: AuthorizationFacts
  /** The `directory.json` of the author. */
  readonly listing?: ListingFacts
}

/** The answers at the paths of the proofs of domains. */
export interface WellKnownAnswers {
  /** `/.well-known/openai-apps-challenge` */
  readonly openaiAppsChallenge?: WellKnownAnswer
  /** `/.well-known/mcp-registry-auth` */
  readonly mcpRegistryAuth?: WellKnownAnswer
}

export interface WellKnownAnswer {
  readonly status: number
  /** The media type, without parameters, in lower case. */
  readonly contentType: string
  readonly body: string
  /** The `Location` of a redirect. */
  readonly redirectedTo?: string
}

/** What was seen of the authorization of a server. */
export type AuthorizationFacts = Readonly<Record<never, never>>
