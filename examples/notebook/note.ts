/** The data types that the Worker and the notebook object exchange over RPC, and the notebook's limits. */

/** A note without its body. Times are milliseconds since the epoch. */
export interface NoteInfo {
  /** Derived from the first title and never changed. Links and URIs contain it. */
  readonly id: string
  readonly title: string
  /** Sorted, without duplicates. */
  readonly tags: readonly string[]
  /** 1 for a new note. Every change increments it. */
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Length of the body in UTF-16 code units, as `String.length` counts it. */
  readonly characters: number
}

export interface Note extends NoteInfo {
  /** Markdown, without the title. */
  readonly body: string
}

/** A deleted note that can be restored until `expiresAt`. */
export interface BinnedNote extends NoteInfo {
  readonly expiresAt: number
}

/** The requested part of a list. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface NoteList<T extends NoteInfo = NoteInfo> {
  readonly notes: readonly T[]
  /** Number of notes on all pages. */
  readonly total: number
}

export interface SearchHit extends NoteInfo {
  /** The passage of the body that matches best, or its beginning when only the title or a tag matches. */
  readonly snippet: string
}

export interface SearchPage {
  readonly hits: readonly SearchHit[]
  readonly total: number
  /** `any` when no note contains every word: the hits contain at least one of the words. */
  readonly matched: 'all' | 'any'
}

export interface TagCount {
  readonly tag: string
  readonly notes: number
}

/** The limits of a notebook. Sizes are in bytes of UTF-8. */
export const LIMITS = {
  bodyBytes: 256 * 1024,
  titleCharacters: 200,
  idCharacters: 80,
  tags: 32,
  tagCharacters: 50,
  notes: 10_000,
  binnedNotes: 1000,
  queryCharacters: 500,
  queryTerms: 32,
  pageItems: 100,
  importedNotes: 500,
} as const

/** How long a deleted note can be restored, in milliseconds. */
export const BIN_TTL_MS = 30 * 24 * 60 * 60 * 1000
