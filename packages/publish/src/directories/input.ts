/** What the rules of directories compare. A member that is not known is absent, and its rules do not apply. */

import type { Surface } from '../../../doctor/src/definition/surface.ts'
import type { MalformedEntry } from '../../../doctor/src/definition/well-formed.ts'
import type { SeenFacts } from '../../../doctor/src/doctor/detected.ts'

export interface DirectoryInput {
  readonly surface?: Surface
  /** Entries of the lists of a running server that are not in `surface`, because they are not valid. */
  readonly malformed?: readonly MalformedEntry[]
  /** Why no server answers at the URL. */
  readonly unreached?: string
  /** Why the lists of a running server could not be read. */
  readonly unread?: string
  /** They were not read because the server asks for a token. */
  readonly needsToken?: boolean
  /** The MCP endpoint, as people paste it. */
  readonly url?: string
  /** A URL on this machine is examined as if it were public. */
  readonly isDevelopment?: boolean
  /** What `initialize` says of the server, beside `server/discover`; unchecked. */
  readonly initialized?: unknown
  /** The Server Card; unchecked. */
  readonly card?: unknown
  /** `/.well-known/ai-catalog.json`; unchecked. */
  readonly catalog?: unknown
  /** A URL of the catalogue on the host of the endpoint that has no card. */
  readonly deadCardUrl?: string
  /** The file of the MCP registry; unchecked. */
  readonly serverJson?: unknown
  /** The `plugin.json` of a package; unchecked. */
  readonly plugin?: unknown
  readonly wellKnown?: WellKnownAnswers
  readonly authorization?: AuthorizationFacts
  /** The `directory.json` of the author; unchecked. */
  readonly listing?: unknown
  /** The views of a running server. Those of a definition are among the resources of `surface`. */
  readonly views?: readonly ViewFacts[]
  /** The results of calls. */
  readonly results?: readonly CallFacts[]
  /** What differs for clients of other names. */
  readonly otherClients?: readonly OtherClient[]
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
export interface AuthorizationFacts {
  /**
   * `none`: every request is answered without a token. `oauth`: a 401 leads to metadata. `pasted`: a token is needed,
   * and nothing says how to get one.
   */
  readonly kind: 'none' | 'oauth' | 'pasted'
  /** The challenge and the metadata of `oauth`, as the doctor compares them. Absent for a definition. */
  readonly facts?: SeenFacts
  /** Whether the metadata of the resource and of its authorization server were read. */
  readonly documents?: { readonly resource: boolean; readonly server: boolean }
  /** Why the client of a directory does not connect, where it does not. */
  readonly failures?: readonly ClientFailure[]
}

export interface ClientFailure {
  readonly client: 'Claude (web)' | 'ChatGPT'
  /** Codes and messages of the doctor. */
  readonly causes: readonly { readonly code: string; readonly message: string }[]
}

/** A view, as `resources/read` returns it. */
export interface ViewFacts {
  readonly uri: string
  /** `_meta` of the contents; unchecked. */
  readonly meta: unknown
}

/** A call of the doctor, whose input is valid. */
export interface CallFacts {
  readonly tool: string
  /** Of the text of the result. */
  readonly characters: number
  /** Why the answer is no result, or an invalid one, as a sentence without its full stop. */
  readonly failure?: string
  /** The text of a result with `isError`. */
  readonly errorText?: string
}

/** What the server shows to a client of another name, and not to the doctor. */
export interface OtherClient {
  readonly name: string
  /** The tools that only one of the two is shown, or that are defined otherwise. */
  readonly tools?: readonly string[]
  /** The tool whose call ends otherwise, and both ends. */
  readonly call?: { readonly tool: string; readonly seen: string }
}
