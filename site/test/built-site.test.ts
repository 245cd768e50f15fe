/** The pages that the build of the documentation site writes, and its search over the index of that build. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import MiniSearch from 'minisearch'
import { beforeAll, describe, expect, it } from 'vitest'
import { REDIRECTS } from '../redirects.ts'
import { processTerm, searchOptions } from '../search.ts'
import { buildSite } from './build-site.ts'
import { QUESTIONS } from './questions.ts'

const DIST = resolve(import.meta.dirname, '../.vitepress/dist')
const CHUNKS = join(DIST, 'assets/chunks')

/** The fields of the index that VitePress writes. */
const FIELDS = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] }

beforeAll(buildSite, 600_000)

/** The text that a reader sees outside of code. */
const textOf = (html: string) =>
  html.replaceAll(/<(script|style|pre|code)\b[\s\S]*?<\/\1>/g, '').replaceAll(/<[^>]*>/g, ' ')

describe('the pages of the site', () => {
  it('show no expression of a template', () => {
    const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.html'),
    )
    const broken = files.filter((path) =>
      textOf(readFileSync(join(DIST, path), 'utf8')).includes('{{'),
    )
    expect(files.length).toBeGreaterThan(100)
    expect(broken).toEqual([])
  })
})

describe('the old addresses of the site', () => {
  const lines = () => readFileSync(join(DIST, '_redirects'), 'utf8').trim().split('\n')

  it.each(Object.entries(REDIRECTS))('redirect from %s to the section %s', (from, to) => {
    expect(lines()).toContain(`/${from} /${to} 301`)
    expect(lines()).toContain(`/${from}.html /${to} 301`)
    const [page = '', section] = to.split('#')
    expect(readFileSync(join(DIST, `${page}.html`), 'utf8')).toContain(`id="${section}"`)
  })
})

let index: MiniSearch

beforeAll(async () => {
  const name = readdirSync(CHUNKS).find((file) => file.startsWith('@localSearchIndex'))
  if (name === undefined) throw new Error('The build has written no index.')
  const { default: json } = await import(pathToFileURL(join(CHUNKS, name)).href)
  index = MiniSearch.loadJSON(json, { ...FIELDS, processTerm })
})

/** The pages of the first three results. A result is a section of a page. */
const firstPages = (question: string) =>
  index
    .search(question, searchOptions)
    .slice(0, 3)
    .map(({ id }) => /^\/([^#]*?)(?:\.html)?(?:#|$)/.exec(id)?.[1] ?? '')

describe('the search of the site', () => {
  it.each(QUESTIONS)('answers "%s" with one of its first three results', (question, ...pages) => {
    expect(firstPages(question)).toContainEqual(expect.toBeOneOf(pages))
  })

  it('finds no page for a question about something else', () => {
    expect(index.search('zebra xylophone', searchOptions)).toEqual([])
  })
})
