/** The options of the search index, which the build writes and the server reads: those of the documentation site. */
import type { Options } from 'minisearch'
import { processTerm } from '../../packages/site/search.ts'

export interface Entry {
  /** `/path#anchor` of a section. */
  readonly id: string
  readonly title: string
  /** The headings that the section is under. */
  readonly titles: readonly string[]
  readonly text: string
}

export const INDEX_OPTIONS: Options<Entry> = {
  fields: ['title', 'titles', 'text'],
  processTerm,
}
