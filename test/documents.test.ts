/** Documents and comments: every path that they name exists, and no document is longer than its limit. */
// features: all
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** The folders at the top, and those that were there: a path into one of them is read from the root. */
const TOP =
  /^(?:src|durable-objects|packages|docs|examples|scripts|skills|starter|test|bench|cli|create-edgeway|inspector|runtime|site)\//

/** What a build, an installation or a test writes. */
const WRITTEN =
  /(?:^|\/)(?:node_modules|dist[^/]*|results|generated|coverage|\.[^/]+)$|^(?:packages\/)?site\/pages$/

/** All files and folders, as paths from the root. */
function pathsIn(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return WRITTEN.test(path) ? [] : [path, ...pathsIn(path)]
  })
}

const PATHS = pathsIn()

/** The ends of paths: the name, the name in its folder, and so on. */
const endsOf = (paths: readonly string[]): ReadonlySet<string> =>
  new Set(
    paths.flatMap((path) => {
      const parts = path.split('/')
      return parts.map((_, place) => parts.slice(place).join('/'))
    }),
  )

const ENDS = endsOf(PATHS)

/** Documents of new servers and examples call their own folders `src` and `test`. */
const ENDS_OF_PROJECTS = endsOf(PATHS.filter((path) => /^(?:starter|examples)\//.test(path)))

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const documents = PATHS.filter(
  (path) =>
    /^(?:docs|skills)\/.*\.md$|^(?:README|CONTRIBUTING)\.md$/.test(path) ||
    /^(?:src|durable-objects|packages|examples|scripts|site|bench|create-edgeway)\/.*README\.md$/.test(
      path,
    ),
)

const sources = PATHS.filter((path) =>
  /^(?!test\/fixtures\/|docs\/|starter\/).*\.(?:tsx?|js)$/.test(path),
)

interface Named {
  readonly path: string
  readonly line: number
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length

/** Names like paths: methods, what a benchmark writes, files that an author writes, and a page of another project. */
const NO_PATHS =
  /^skills\/(?:list|get)$|^skills\/(?:refunds|billing)\/|^test\/REQUIREMENTS\.md$|^(?:packages\/)?bench\/results\/|^(?:src|test)\/(?:tools|sign-in|worker)(?:\.test)?\.ts$|^docs\/migration-1\.x\.md$/

/** Whether a text in code marks is the name of a file or a folder, and not that of a method, a type or a module. */
const isPath = (text: string) =>
  /^(?:[\w@]|\.\.?\/)[\w@./-]*$/.test(text) &&
  (TOP.test(text) || /^[\w@./-]*[\w-]\.tsx?$/.test(text)) &&
  !NO_PATHS.test(text)

/** Documents of the package are named as its users have them. */
const PACKAGE = /^node_modules\/edgeway\//

function namesIn(text: string, start = 0, whole = text): Named[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap((match) => {
    const path = (match[1] ?? '').replace(PACKAGE, '')
    return isPath(path) ? [{ path, line: lineAt(whole, start + match.index) }] : []
  })
}

/** The names in the comments of a source file. */
function namesInComments(source: string): Named[] {
  const comments = source.matchAll(/^\s*\/\*\*?[\s\S]*?\*\/|(?:^|\s)\/\/ [^\n]*/gm)
  return [...comments].flatMap((match) => namesIn(match[0], match.index, source))
}

/** The names and the targets of links in a document, outside of its blocks of code. */
function namesInDocument(document: string): Named[] {
  const text = document.replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '))
  const links = [...text.matchAll(/\]\((?!\w+:|#|\/)([^)\s#]+)/g)].map((match) => {
    const [, path = ''] = match
    return { path: path.startsWith('.') ? path : `./${path}`, line: lineAt(text, match.index) }
  })
  return [...namesIn(text), ...links]
}

function exists(file: string, path: string): boolean {
  const name = path.replace(/\/$/, '')
  if (/^\.\.?\//.test(name)) return existsSync(join(ROOT, dirname(file), name))
  if (existsSync(join(ROOT, name)) || existsSync(join(ROOT, dirname(file), name))) return true
  return (TOP.test(name) ? ENDS_OF_PROJECTS : ENDS).has(normalize(name))
}

function absentIn(files: readonly string[], namesOf: (text: string) => readonly Named[]): string[] {
  return files.flatMap((file) =>
    namesOf(read(file))
      .filter(({ path }) => !exists(file, path))
      .map(({ path, line }) => `${file}:${line}: ${path}`),
  )
}

describe('a path', () => {
  it('that a document names exists', () => {
    expect(absentIn(documents, namesInDocument)).toEqual([])
  })

  it('that a comment names exists', () => {
    expect(absentIn(sources, namesInComments)).toEqual([])
  })

  it('is found in code marks, links and comments, and not in code', () => {
    const document = 'a `src/absent.ts`\n[b](../x.md#y) `tools/list`\n```\n`src/c.ts`\n```\n'
    expect(namesInDocument(document).map(({ path, line }) => `${line} ${path}`)).toEqual([
      '1 src/absent.ts',
      '2 ../x.md',
    ])
    expect(namesInComments('const a = `src/b.ts`\n// `./c.ts`\n')).toEqual([
      { path: './c.ts', line: 2 },
    ])
    expect(exists('docs/architecture.md', 'src/absent.ts')).toBe(false)
  })
})

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => word !== '').length
const linesIn = (text: string) => text.trimEnd().split('\n').length
const sectionsOf = (text: string) => text.split(/^## /m).slice(1)
const rows = (section: string) => section.match(/^\| (?!term |---)[^\n]+/gm) ?? []
const glossary = () =>
  rows(sectionsOf(read('docs/architecture.md')).find((one) => one.startsWith('Glossary')) ?? '')

const isRoom = (path: string) =>
  /^(?:src|durable-objects|packages)\/.*README\.md$/.test(path) &&
  !existsSync(join(ROOT, dirname(path), 'package.json'))
const rooms = documents.filter(isRoom)

const ARCHITECTURE = 'docs/architecture.md'
const DECISIONS = 'docs/decisions.md'

/** The maintainer's book. */
const BOOK = [
  'README.md',
  'CONTRIBUTING.md',
  ARCHITECTURE,
  DECISIONS,
  'docs/security.md',
  'docs/reference/formats.md',
  ...rooms,
]

const words = (...files: readonly string[]) => wordsIn(files.map(read).join('\n'))
const longest = (lengths: readonly number[]) => Math.max(0, ...lengths)

/** What is counted, how much it is, and how much it may be. */
const LIMITS: readonly (readonly [what: string, count: () => number, limit: number])[] = [
  ['characters of README.md', () => read('README.md').length, 9_000],
  ['words of CONTRIBUTING.md', () => words('CONTRIBUTING.md'), 1_500],
  ['lines of docs/architecture.md', () => linesIn(read(ARCHITECTURE)), 200],
  ['terms of the glossary', () => glossary().length, 25],
  ['sections of docs/decisions.md', () => sectionsOf(read(DECISIONS)).length, 30],
  ['words of a decision', () => longest(sectionsOf(read(DECISIONS)).map(wordsIn)), 120],
  ['words of docs/security.md', () => words('docs/security.md'), 1_900],
  ['words of docs/reference/formats.md', () => words('docs/reference/formats.md'), 2_800],
  ['lines of the README of a room', () => longest(rooms.map((room) => linesIn(read(room)))), 30],
  ["words of the maintainer's book", () => words(...BOOK), 12_400],
  ['words of all documents', () => words(...documents), 88_000],
]

describe('the length of the documents', () => {
  it.each(LIMITS)('is within its limit: %s', (_what, count, limit) => {
    expect(count()).toBeGreaterThan(0)
    expect(count()).toBeLessThanOrEqual(limit)
  })

  it('the glossary is in alphabetical order', () => {
    const terms = glossary().map((row) => row.split('|')[1]?.trim() ?? '')
    expect(terms).toEqual(terms.toSorted((a, b) => a.localeCompare(b, 'en')))
  })
})
