/** Searches the sections of the documentation, with the ranking of its site. */
import MiniSearch, { type SearchResult } from 'minisearch'
import { processTerm, searchOptions } from '../../packages/site/search.ts'
import { INDEX_OPTIONS } from './index-options.ts'
import type { Page, Section } from './page.ts'

export interface Found {
  readonly page: Page
  readonly section: Section
  /** The line of the section with the most words of the query. Code is left out. */
  readonly snippet: string
}

export type Search = (query: string, limit: number) => readonly Found[]

/** A word with hyphens is mostly the name of an error or a fault: sections that have it come first. */
const WORD = /[a-z\d-]+/g

const MAX_SNIPPET_CHARACTERS = 300

/** @param index of the build, as JSON. It is read at the first search. */
export function createSearch(pages: readonly Page[], index: string): Search {
  const sections = new Map(
    pages.flatMap((page) =>
      page.sections.map((section) => [`/${page.path}#${section.anchor}`, { page, section }]),
    ),
  )
  let loaded: MiniSearch | undefined
  return (query, limit) => {
    loaded ??= MiniSearch.loadJSON(index, INDEX_OPTIONS)
    const words: readonly string[] = query.toLowerCase().match(WORD) ?? []
    const names = words.filter((word) => /[a-z\d]-[a-z\d]/.test(word))
    const hasName = (text: string) => names.some((name) => text.includes(name))
    return loaded
      .search(query, searchOptions)
      .flatMap((result) => {
        const found = sections.get(result.id)
        return found === undefined
          ? []
          : [{ ...found, result, isNamed: hasName(found.section.text) }]
      })
      .sort((a, b) => Number(b.isNamed) - Number(a.isNamed))
      .slice(0, limit)
      .map(({ page, section, result }) => ({ page, section, snippet: snippetOf(section, result) }))
  }
}

/** The words of a text, as the index has them. */
const termsOf = (text: string) => text.split(/[^\p{L}\p{N}_]+/u).map((word) => processTerm(word))

function snippetOf({ text, titles }: Section, { terms }: SearchResult): string {
  const wanted = new Set(terms)
  const countIn = (line: string) =>
    new Set(termsOf(line).filter((term) => typeof term === 'string' && wanted.has(term))).size
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const [, ...lines] = prose.split('\n').filter((line) => /[\p{L}\p{N}]/u.test(line))
  const best = lines
    .reduce(
      (found, line) => {
        const count = countIn(line)
        return count > found.count ? { line, count } : found
      },
      { line: lines[0] ?? titles.at(-1) ?? '', count: 0 },
    )
    .line.trim()
  if (best.length <= MAX_SNIPPET_CHARACTERS) return best
  const lower = best.toLowerCase()
  const places = [...wanted].map((term) => lower.indexOf(term)).filter((place) => place >= 0)
  const from = Math.max(0, Math.min(...places, best.length) - MAX_SNIPPET_CHARACTERS / 2)
  const to = from + MAX_SNIPPET_CHARACTERS
  return `${from > 0 ? '…' : ''}${best.slice(from, to).trim()}${to < best.length ? '…' : ''}`
}
