/** One difference between two contracts. */

/**
 * `breaking`: a client that worked may fail. `announced`: it breaks, and was announced by a deprecation whose date has
 * passed. `additive`: only new clients use it. `textual`: texts for models and people.
 */
export type DifferenceKind = 'breaking' | 'announced' | 'additive' | 'textual'

export const DIFFERENCE_KINDS: readonly DifferenceKind[] = [
  'breaking',
  'announced',
  'additive',
  'textual',
]

/** A difference of one entry. */
export interface Change {
  readonly kind: DifferenceKind
  /** The part of the entry, such as `argument filter.tags[]`. Absent for the whole entry. */
  readonly at?: string
  /** The end of a sentence whose subject is the part or the entry. */
  readonly text: string
}

export interface Difference extends Change {
  /** As `notes (/mcp)`. */
  readonly server: string
  /** As `tool "search"`. */
  readonly subject: string
}

export const breaking = (text: string, at?: string): Change => change('breaking', text, at)
export const additive = (text: string, at?: string): Change => change('additive', text, at)
export const textual = (text: string, at?: string): Change => change('textual', text, at)

const change = (kind: DifferenceKind, text: string, at?: string): Change => ({
  kind,
  text,
  ...(at !== undefined && { at }),
})
