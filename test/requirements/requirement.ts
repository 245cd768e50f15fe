/** What a requirement is, and the documents of requirements. `README.md` says how to write one. */

/** The party that a clause addresses. */
export type Party = 'server' | 'author' | 'client' | 'host' | 'intermediary' | 'specification'

interface Clause {
  /** Unique in its document, in kebab case: `origin-is-validated`. */
  readonly id: string
  readonly level: 'MUST' | 'MUST NOT'
  /**
   * The addresses of the clause with their anchors, one for each revision that has it. The revision is
   * read from the address; a document outside the MCP specification has none.
   */
  readonly clauses: readonly string[]
  /** The clause in our own words: one sentence, present tense, with the addressed party as its subject. */
  readonly says: string
}

/**
 * The tests that hold a clause: `<file> > <describe> > <title>`, each part as the file spells it, and
 * for a table optionally ` > <row>`.
 */
interface Tested {
  readonly tests: readonly [string, ...string[]]
  /** Where Edgeway does not follow the clause, and why: for example what it serves without `strict`. */
  readonly deviation?: string
  /** The addressed party, where it is not the server: the tests show that Edgeway enforces the clause. */
  readonly concerns?: Exclude<Party, 'server'>
}

/** A clause that addresses another party, and that a server cannot enforce. */
interface AddressedToOthers {
  readonly concerns: Exclude<Party, 'server'>
}

/** A clause for servers without a test, with the reason. */
interface Untested {
  readonly untested: string
}

export type Requirement = Clause & (Tested | AddressedToOthers | Untested)

export interface RequirementDocument {
  readonly title: string
  /** The addresses of its pages, without anchors. Every clause is on one of them. */
  readonly pages: readonly string[]
  readonly requirements: readonly Requirement[]
}

/** A revision of the MCP specification whose requirements are listed. */
export type ClaimedRevision =
  | '2024-11-05'
  | '2025-03-26'
  | '2025-06-18'
  | '2025-11-25'
  | '2026-07-28'

/** The addresses of one page or clause of the MCP specification in several revisions. */
export function mcp(path: string, ...revisions: readonly ClaimedRevision[]): readonly string[] {
  return revisions.map(
    (revision) => `https://modelcontextprotocol.io/specification/${revision}/${path}`,
  )
}
