/** The list of requirements: its tests exist, its clauses belong to documents, and its page is up to date. */
// features: all
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requirementsPage, revisionOf } from '../scripts/support/requirements-page.ts'
import { testTitles } from '../scripts/support/test-titles.ts'
import { REVISIONS } from '../src/protocol/revisions.ts'
import { CLAIMED_PAGES } from './requirements/claimed-pages.ts'
import { DOCUMENTS } from './requirements/documents.ts'
import type { Requirement } from './requirements/requirement.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

const documents = Object.entries(DOCUMENTS)
const requirements = documents.flatMap(([file, document]) =>
  document.requirements.map((requirement) => ({ name: `${file}/${requirement.id}`, requirement })),
)
const repeated = (texts: readonly string[]) =>
  texts.filter((text, index) => texts.indexOf(text) !== index)
const pageOf = (clause: string) => clause.split('#')[0] ?? ''
const testsOf = (requirement: Requirement) => ('tests' in requirement ? requirement.tests : [])

/** The source of a file and of the files in its folder that it imports. */
function tablesOf(file: string): string {
  const source = read(file)
  const imported = [...source.matchAll(/from '\.\/([^']+)'/g)].map(([, name = '']) =>
    read(join(dirname(file), name)),
  )
  return [source, ...imported].join('\n')
}

describe('a test that a requirement names', () => {
  const named = new Map<string, string[]>()
  for (const test of requirements.flatMap(({ requirement }) => testsOf(requirement))) {
    const [file = ''] = test.split(' > ', 1)
    named.set(file, [...(named.get(file) ?? []), test.slice(file.length + ' > '.length)])
  }

  it('exists in its file', () => {
    const missing = [...named].flatMap(([file, titles]) => {
      const present = existsSync(join(ROOT, file)) ? testTitles(read(file)) : new Set<string>()
      /** Whether the last part is a text of the table that the test before it runs with. */
      const isRow = (title: string) => {
        const [, test = '', row = ''] = /^(.*) > (.*)$/.exec(title) ?? []
        return present.has(test) && /%|\$/.test(test) && tablesOf(file).includes(row)
      }
      return titles
        .filter((title) => !present.has(title) && !isRow(title))
        .map((title) => `${file} > ${title}`)
    })
    expect(missing).toEqual([])
  })

  it('is found in groups, tables, templates and chains, as the file spells it', () => {
    const source = [
      "describe.each(ALL)('the %s', (name) => {",
      "  it('has a title', () => { expect(/a/.test('b', c)).toBe(true) })",
      "  describe('inside', () => { it.concurrent.each([1])(`has ${name}`, async () => {}) })",
      '})',
      "it.skip('is skipped', () => {})",
      "describe.skip('skipped', () => { it('is not run', () => {}) })",
      "test('stands alone', { timeout: 5 }, () => {})",
      "it.each([['a', 1]])('it’s %s: \\'%i\\'', () => {})",
    ].join('\n')
    expect([...testTitles(source)]).toEqual([
      'the %s > has a title',
      'the %s > inside > has ${name}',
      'stands alone',
      "it’s %s: '%i'",
    ])
  })
})

describe('a requirement', () => {
  it('has an id in kebab case that is unique in its document', () => {
    const names = requirements.map(({ name }) => name)
    expect(names.filter((name) => !/^[a-z0-9-]+\/[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))).toEqual([])
    expect(repeated(names)).toEqual([])
  })

  it('has tests, addresses another party, or has a reason for having no test', () => {
    const bare = requirements.filter(({ requirement }) => {
      if ('tests' in requirement) return requirement.tests.length === 0
      if ('untested' in requirement) return !/^[A-Z].*\.$/.test(requirement.untested)
      return requirement.concerns === undefined
    })
    expect(bare.map(({ name }) => name)).toEqual([])
  })

  it('is one sentence', () => {
    const others = requirements.filter(({ requirement }) => !/^[A-Z].*\.$/.test(requirement.says))
    expect(others.map(({ name }) => name)).toEqual([])
  })

  it('names each clause once, by an address on a page of its document', () => {
    const stray = documents.flatMap(([file, { pages, requirements }]) =>
      requirements
        .filter(
          ({ clauses }) =>
            clauses.length === 0 ||
            repeated(clauses).length > 0 ||
            clauses.some((clause) => !pages.includes(pageOf(clause))),
        )
        .map(({ id }) => `${file}/${id}`),
    )
    expect(stray).toEqual([])
  })
})

describe('the documents of requirements', () => {
  it('are all listed in documents.ts', () => {
    const notDocuments = ['requirement.ts', 'documents.ts', 'claimed-pages.ts']
    const files = readdirSync(join(ROOT, 'test/requirements')).filter(
      (file) => file.endsWith('.ts') && !notDocuments.includes(file),
    )
    expect(Object.keys(DOCUMENTS).map((name) => `${name}.ts`)).toEqual(
      expect.arrayContaining(files),
    )
    expect(files).toHaveLength(documents.length)
  })

  it('have exactly the claimed pages, and a requirement on each', () => {
    const pages = documents.flatMap(([, document]) => document.pages)
    expect([...new Set(pages)].sort()).toEqual([...CLAIMED_PAGES].sort())
    const used = new Set(requirements.flatMap(({ requirement }) => requirement.clauses.map(pageOf)))
    expect(pages.filter((page) => !used.has(page))).toEqual([])
  })

  it('cover every revision that Edgeway serves', () => {
    const covered = new Set(CLAIMED_PAGES.map(revisionOf))
    expect(REVISIONS.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([])
  })
})

describe('test/REQUIREMENTS.md', () => {
  it('is what `npm run requirements` writes', () => {
    expect(read('test/REQUIREMENTS.md')).toBe(requirementsPage(documents))
  })
})
