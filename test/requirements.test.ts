/** The list of requirements: tests cite them, their clauses belong to documents, and the page shows both. */
// features: all
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { citationsOf } from '../scripts/support/citations.ts'
import {
  addressesOf,
  byRequirement,
  documentFiles,
  type RequirementDocument,
  readCitations,
  readDocuments,
  readIndex,
} from '../scripts/support/requirements.ts'
import { requirementsPage, revisionOf } from '../scripts/support/requirements-page.ts'
import { REVISIONS } from '../src/protocol/revisions.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

const documents = readDocuments(ROOT)
const index = readIndex(ROOT)
const { citations, faults } = readCitations(ROOT)
const tests = byRequirement(citations)
const requirements = documents.flatMap(({ name, requirements }) =>
  requirements.map((requirement) => ({ ...requirement, name: `${name}/${requirement.id}` })),
)
const repeated = (texts: readonly string[]) =>
  texts.filter((text, index) => texts.indexOf(text) !== index)
const pageOf = (clause: string) => clause.split('#')[0] ?? ''
const isSentence = (text: string) => /^[A-Z].*\.$/.test(text)

/** The source of a file and of the files in its folder that it imports, without its citations. */
function tablesOf(file: string): string {
  const source = read(file).replaceAll(/\bverifies\([^)]*\)/g, '')
  const imported = [...source.matchAll(/from '\.\/([^']+)'/g)].map(([, name = '']) =>
    read(join(dirname(file), name)),
  )
  return [source, ...imported].join('\n')
}

describe('a citation', () => {
  it('names a requirement, in a test that runs', () => {
    expect(faults).toEqual([])
  })

  it('names a requirement that is listed', () => {
    const listed = new Set(requirements.map(({ name }) => name))
    const unknown = citations.filter(({ requirement }) => !listed.has(requirement))
    expect(unknown).toEqual([])
  })

  it('is given once in a test', () => {
    expect(repeated(citations.map((citation) => JSON.stringify(citation)))).toEqual([])
  })

  it('names a row of the table that its test runs over', () => {
    const stray = citations.filter(
      ({ file, test, row }) =>
        row !== undefined && !(/%|\$/.test(test) && tablesOf(file).includes(row)),
    )
    expect(stray).toEqual([])
  })

  it('is found in groups, tables, templates and chains, with the title as the file spells it', () => {
    const source = [
      "describe.each(ALL)('the %s', (name) => {",
      "  it('has a title', () => { verifies('a/one', 'a/two'); expect(1).toBe(1) })",
      "  describe('inside', () => { it.concurrent.each([1])(`has ${name}`, async () => { verifies('a/three') }) })",
      '})',
      "test('stands alone', { timeout: 5 }, () => { verifies('a/four', { row: 'the row' }) })",
      "it('is wrapped', forEach(async () => { verifies('a/five') }))",
    ].join('\n')
    expect(citationsOf('t.ts', source)).toEqual({
      faults: [],
      citations: [
        { requirement: 'a/one', file: 't.ts', test: 'the %s > has a title' },
        { requirement: 'a/two', file: 't.ts', test: 'the %s > has a title' },
        { requirement: 'a/three', file: 't.ts', test: 'the %s > inside > has ${name}' },
        { requirement: 'a/four', file: 't.ts', test: 'stands alone', row: 'the row' },
        { requirement: 'a/five', file: 't.ts', test: 'is wrapped' },
      ],
    })
  })

  it('is a fault outside a test, in a skipped test, without an id, and with a computed one', () => {
    const source = [
      "describe('a group', () => { verifies('a/one') })",
      "it.skip('is skipped', () => { verifies('a/two') })",
      "describe.skip('skipped', () => { it('is not run', () => { verifies('a/three') }) })",
      "it('names nothing', () => { verifies() })",
      "it('computes', () => { verifies(id) })",
    ].join('\n')
    expect(citationsOf('t.ts', source).faults).toEqual([
      "t.ts: verifies('a/one') is not in a test",
      "t.ts: verifies('a/two') is in a test that is skipped",
      "t.ts: verifies('a/three') is in a test that is skipped",
      't.ts: verifies() names no requirement',
      't.ts: verifies(id) does not spell a requirement',
    ])
  })
})

describe('a requirement', () => {
  it('has an id in kebab case that is unique in its document', () => {
    const names = requirements.map(({ name }) => name)
    expect(names.filter((name) => !/^[a-z0-9-]+\/[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))).toEqual([])
    expect(repeated(names)).toEqual([])
  })

  it('is cited by a test, addresses another party, or has a reason for having no test', () => {
    const bare = requirements.filter(
      ({ name, concerns, untested }) =>
        !tests.has(name) && concerns === undefined && untested === undefined,
    )
    expect(bare.map(({ name }) => name)).toEqual([])
  })

  it('has no reason for having no test beside a test', () => {
    const both = requirements.filter(
      ({ name, untested }) => untested !== undefined && tests.has(name),
    )
    expect(both.map(({ name }) => name)).toEqual([])
  })

  it('deviates only where a test shows it', () => {
    const untested = requirements.filter(
      ({ name, deviation }) => deviation !== undefined && !tests.has(name),
    )
    expect(untested.map(({ name }) => name)).toEqual([])
  })

  it('has a level, a known party, and one sentence for each text, and nothing else', () => {
    const members = ['id', 'level', 'clauses', 'says', 'concerns', 'deviation', 'untested', 'name']
    const parties = [undefined, 'author', 'client', 'host', 'intermediary', 'specification']
    const others = requirements.filter(
      (requirement) =>
        !['MUST', 'MUST NOT'].includes(requirement.level) ||
        !parties.includes(requirement.concerns) ||
        !isSentence(requirement.says) ||
        !isSentence(requirement.untested ?? 'None.') ||
        !isSentence(requirement.deviation ?? 'None.') ||
        Object.keys(requirement).some((member) => !members.includes(member)),
    )
    expect(others.map(({ name }) => name)).toEqual([])
  })

  it('names each clause once, by an address on a page of its document', () => {
    const stray = documents.flatMap(({ name, pages, requirements }) =>
      requirements
        .filter(
          ({ clauses }) =>
            clauses.length === 0 ||
            repeated(clauses).length > 0 ||
            clauses.some((clause) => !pages.includes(pageOf(clause))),
        )
        .map(({ id }) => `${name}/${id}`),
    )
    expect(stray).toEqual([])
  })
})

describe('the documents of requirements', () => {
  it('are all listed in index.yaml', () => {
    expect([...index.documents].sort()).toEqual([...documentFiles(ROOT)].sort())
  })

  it('write an address of the MCP specification once for several revisions', () => {
    expect(
      addressesOf(['mcp:2025-06-18,2025-11-25/basic#messages', 'https://a.example/b']),
    ).toEqual([
      'https://modelcontextprotocol.io/specification/2025-06-18/basic#messages',
      'https://modelcontextprotocol.io/specification/2025-11-25/basic#messages',
      'https://a.example/b',
    ])
  })

  it('have exactly the claimed pages, and a requirement on each', () => {
    const pages = documents.flatMap((document) => document.pages)
    expect([...new Set(pages)].sort()).toEqual([...index.pages].sort())
    const used = new Set(requirements.flatMap(({ clauses }) => clauses.map(pageOf)))
    expect(pages.filter((page) => !used.has(page))).toEqual([])
  })

  it('cover every revision that Edgeway serves', () => {
    const covered = new Set(index.pages.map(revisionOf))
    expect(REVISIONS.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([])
  })
})

describe('the page that `npm run requirements` writes', () => {
  const pages = ['https://a.example/b', 'https://a.example/2025-06-18/c']
  const clauses = ['https://a.example/2025-06-18/c']
  const level = 'MUST'
  const document: RequirementDocument = {
    name: 'small',
    title: 'A small document',
    pages,
    requirements: [
      { id: 'tested', level, says: 'The server answers.', clauses: [`${pages[0]}#section-1`] },
      { id: 'of-clients', level, says: 'The client waits.', clauses, concerns: 'client' },
      { id: 'bare', level, says: 'The server is safe.', clauses, untested: 'Safety has no test.' },
      { id: 'loose', level, says: 'The server is fast.', clauses, deviation: 'It waits.' },
    ],
  }
  const page = requirementsPage(
    [document],
    byRequirement(
      ['tested', 'loose'].map((id) => ({
        requirement: `small/${id}`,
        file: 'test/a.test.ts',
        test: 'a server > answers',
      })),
    ),
  )

  it('has a row for each requirement, with its clauses and what holds it', () => {
    expect(page.split('\n').filter((line) => / \| MUST \| /.test(line))).toEqual([
      '| tested | MUST | [1](https://a.example/b#section-1) | The server answers. | [a.test.ts](a.test.ts): a server > answers |',
      '| of-clients | MUST | [2025-06-18](https://a.example/2025-06-18/c) | The client waits. | addresses the client |',
      '| bare | MUST | [2025-06-18](https://a.example/2025-06-18/c) | The server is safe. | **no test:** Safety has no test. |',
      '| loose | MUST | [2025-06-18](https://a.example/2025-06-18/c) | The server is fast. | [a.test.ts](a.test.ts): a server > answers<br>**deviation:** It waits. |',
    ])
  })

  it('counts the requirements of each revision, and lists those without a test and the deviations', () => {
    for (const line of [
      '4 requirements: 2 with tests, 1 that address other parties, 1 without a test.',
      '| 2025-06-18 | 3 | 1 | 1 | 1 |',
      '| other documents | 1 | 1 | 0 | 0 |',
      '- **small/bare**: The server is safe. Safety has no test.',
      '- **small/loose**: The server is fast. It waits.',
    ]) {
      expect(page.split('\n')).toContain(line)
    }
  })

  it('has a row for every requirement of the listed documents', () => {
    const all = requirementsPage(documents, tests)
    expect(all.match(/^\| \S+ \| MUST(?: NOT)? \| /gm)).toHaveLength(requirements.length)
  })
})
