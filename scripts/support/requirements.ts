/** The requirements in `test/requirements`, and the tests that verify them. Its `README.md` has the format. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Citation, type Citations, citationsOf } from './citations.ts'

/** The party that a clause addresses. */
export type Party = 'server' | 'author' | 'client' | 'host' | 'intermediary' | 'specification'

export interface Requirement {
  /** Unique in its document, in kebab case: `origin-is-validated`. */
  readonly id: string
  readonly level: 'MUST' | 'MUST NOT'
  /** The addresses of the clause with their anchors, one for each revision that has it. */
  readonly clauses: readonly string[]
  /** The clause in our own words: one sentence, present tense, with the addressed party as its subject. */
  readonly says: string
  /** The addressed party, where it is not the server. */
  readonly concerns?: Exclude<Party, 'server'>
  /** Where Edgeway does not follow the clause, and why: for example what it serves without `strict`. */
  readonly deviation?: string
  /** Why no test verifies a clause for servers. */
  readonly untested?: string
}

export interface RequirementDocument {
  /** The name of its file, without the extension. */
  readonly name: string
  readonly title: string
  /** The addresses of its pages, without anchors. Every clause is on one of them. */
  readonly pages: readonly string[]
  readonly requirements: readonly Requirement[]
}

export interface RequirementIndex {
  /** The names of the documents, in the order of the page. */
  readonly documents: readonly string[]
  /** Every page with a requirement. */
  readonly pages: readonly string[]
}

const FOLDER = 'test/requirements'
const INDEX = 'index.yaml'
const MCP = 'https://modelcontextprotocol.io/specification'

export function readIndex(root: string): RequirementIndex {
  const { documents, pages } = parse(readFileSync(join(root, FOLDER, INDEX), 'utf8'))
  return { documents, pages: addressesOf(pages) }
}

/** The names of the files in the folder. */
export function documentFiles(root: string): readonly string[] {
  const files = readdirSync(join(root, FOLDER)).filter((file) => file.endsWith('.yaml'))
  return files.filter((file) => file !== INDEX).map((file) => file.slice(0, -'.yaml'.length))
}

export function readDocuments(root: string): readonly RequirementDocument[] {
  return readIndex(root).documents.map((name) => {
    const document = parse(readFileSync(join(root, FOLDER, `${name}.yaml`), 'utf8'))
    return {
      ...{ name, title: document.title, pages: addressesOf(document.pages) },
      requirements: document.requirements.map((requirement: WrittenRequirement) => ({
        ...requirement,
        clauses: addressesOf(requirement.clauses),
      })),
    }
  })
}

type WrittenRequirement = Omit<Requirement, 'clauses'> & { readonly clauses: string | string[] }

/**
 * Writes out addresses of the MCP specification: `mcp:2025-06-18,2025-11-25/basic#messages` is that of a clause in
 * two revisions.
 */
export function addressesOf(written: string | readonly string[]): readonly string[] {
  return [written].flat().flatMap((address) => {
    const [, revisions = '', path = ''] = /^mcp:([\d,-]+)\/(.*)$/.exec(address) ?? []
    if (revisions === '') return address
    return revisions.split(',').map((revision) => `${MCP}/${revision}/${path}`)
  })
}

/** The citations of all test files, ordered by file and place. */
export function readCitations(root: string): Citations {
  const all = testFiles(root).map((file) =>
    citationsOf(file, readFileSync(join(root, file), 'utf8')),
  )
  return {
    citations: all.flatMap(({ citations }) => citations),
    faults: all.flatMap(({ faults }) => faults),
  }
}

/** The tests that verify each requirement, by `<document>/<id>`. */
export function byRequirement(
  citations: readonly Citation[],
): ReadonlyMap<string, readonly Citation[]> {
  return Map.groupBy(citations, ({ requirement }) => requirement)
}

function testFiles(root: string): readonly string[] {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('upgrade/releases'))
    .map((file) => `test/${file}`)
    .sort()
}
