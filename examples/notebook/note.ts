/** A note: its data, its limits, its faults, and its form as a Markdown document. The Worker and the notebook object share them. */

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

/** An error that crosses RPC keeps its message and loses its class, so the object returns faults as values. */
export type Fault =
  | { readonly code: 'not-found'; readonly id: string; readonly similar: readonly string[] }
  | { readonly code: 'not-in-bin'; readonly id: string }
  | { readonly code: 'title-taken'; readonly title: string; readonly id: string }
  | { readonly code: 'stale-revision'; readonly id: string; readonly revision: number }
  | { readonly code: 'changed-meanwhile'; readonly id: string }
  | { readonly code: 'bad-id'; readonly id: string }
  | { readonly code: 'bad-title' }
  | { readonly code: 'bad-tag'; readonly tag: string }
  | { readonly code: 'too-many-tags'; readonly count: number }
  | { readonly code: 'body-too-long'; readonly bytes: number }
  | { readonly code: 'notebook-full' }
  | { readonly code: 'nothing-to-search' }

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Fault }

/** Thrown inside the object, where it rolls back the transaction. It never crosses RPC. */
export class NotebookError extends Error {
  override readonly name = 'NotebookError'
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.code)
    this.fault = fault
  }
}

/** A title and the text below it: a note that is not stored yet. */
export interface Section {
  readonly title: string
  readonly body: string
}

/** Matches an ATX heading of level 1 and captures its text. */
const HEADING = /^ {0,3}#(?:[ \t](.*))?$/s
/** Matches the start of a fenced code block and captures its marker, which also closes the block. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * Splits a document at its level 1 headings. A `#` line inside a fenced code block is code. Text
 * before the first heading becomes a section whose title is the first line of that text.
 *
 * @see https://spec.commonmark.org/0.31.2/#atx-headings
 */
export function splitMarkdown(document: string): Section[] {
  const sections: { title: string | undefined; lines: string[] }[] = [
    { title: undefined, lines: [] },
  ]
  let fence: string | undefined
  for (const line of document.replaceAll('\r\n', '\n').split('\n')) {
    const marker = FENCE.exec(line)?.[1]
    if (fence === undefined) fence = marker
    else if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined
    const heading = fence === undefined ? HEADING.exec(line) : null
    if (heading === null) sections.at(-1)?.lines.push(line)
    else sections.push({ title: withoutClosing(heading[1] ?? ''), lines: [] })
  }
  return sections.flatMap(({ title, lines }) => {
    const body = lines.join('\n').replace(/^\n+/, '').trimEnd()
    if (title !== undefined) return [{ title, body }]
    return body === '' ? [] : [{ title: firstLine(body), body }]
  })
}

/** Removes the closing run of `#`. An expression would backtrack over a long run of spaces. */
function withoutClosing(heading: string): string {
  const text = heading.trim()
  let end = text.length
  while (text.charAt(end - 1) === '#') end--
  const isClosing = end === 0 || /\s/.test(text.charAt(end - 1))
  return isClosing ? text.slice(0, end).trimEnd() : text
}

/** Formats a note as a Markdown document that `splitMarkdown` can parse. */
export function toDocument({ title, body }: Section): string {
  return `# ${title}\n\n${body}\n`
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1)
  return (
    line
      .replace(/^[#>*\-\s]+/, '')
      .slice(0, 100)
      .toWellFormed()
      .trim() || 'Untitled'
  )
}
