/** What a notebook holds, as plain data: what crosses between the Worker and the object. */

/** A note without its body. Times are milliseconds since the epoch. */
export interface NoteInfo {
  /** Made from the first title, and never changed: what links and URIs name. */
  readonly id: string
  readonly title: string
  /** Sorted. */
  readonly tags: readonly string[]
  /** 1 for a new note, one more with every change. */
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Length of the body in UTF-16 code units, as JavaScript counts. */
  readonly characters: number
}

export interface Note extends NoteInfo {
  /** Markdown, without the title. */
  readonly body: string
}

/** A deleted note, until it is gone for good. */
export interface BinnedNote extends NoteInfo {
  readonly expiresAt: number
}

/** Which part of a list is asked for. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface NoteList<T extends NoteInfo = NoteInfo> {
  readonly notes: readonly T[]
  /** How many there are in all. */
  readonly total: number
}

export interface SearchHit extends NoteInfo {
  /** The part of the body that fits best, or its beginning where only the title or a tag matched. */
  readonly snippet: string
}

export interface SearchPage {
  readonly hits: readonly SearchHit[]
  readonly total: number
  /** `any` where no note holds every word, so that notes with some of them were taken. */
  readonly matched: 'all' | 'any'
}

export interface TagCount {
  readonly tag: string
  readonly notes: number
}

/** Every bound of a notebook. Sizes are bytes of UTF-8. */
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

/** How long a deleted note can be restored. */
export const BIN_TTL_MS = 30 * 24 * 60 * 60 * 1000
