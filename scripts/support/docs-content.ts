/** The content of `examples/docs-server`: the pages of `docs/` by sections, an index over them, and `skills/`. */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import MiniSearch from 'minisearch'
import { INDEX_OPTIONS } from '../../examples/docs-server/index-options.ts'
import { type Page, parsePage } from '../../examples/docs-server/page.ts'
import { readSkills } from '../../packages/cli/src/skills/read-skills.ts'
import { PROJECT_DIRECTORY } from './project.ts'

const DOCS = join(PROJECT_DIRECTORY, 'docs')
const SKILLS = join(PROJECT_DIRECTORY, 'skills')
const OUT = join(PROJECT_DIRECTORY, 'examples/docs-server/content.generated.js')

/** What the content is made with. */
const SOURCES = [
  'scripts/support/docs-content.ts',
  'examples/docs-server',
  'packages/site/search.ts',
]

/** A Worker of the free plan has at most 3 MiB, compressed. This bound is for the text. */
const MAX_CONTENT_BYTES = 6 * 1024 * 1024

/** Writes the module where it is missing, or older than one of its sources. */
export function ensureDocsContent(): void {
  const written = statSync(OUT, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = [DOCS, SKILLS, ...SOURCES.map((path) => join(PROJECT_DIRECTORY, path))]
  if (sources.some((path) => newestIn(path) > written)) writeDocsContent()
}

function newestIn(path: string): number {
  const own = statSync(path)
  if (!own.isDirectory()) return own.mtimeMs
  const files = readdirSync(path).filter((name) => !name.includes('.generated.'))
  return Math.max(...files.map((name) => newestIn(join(path, name))))
}

/**
 * The module is replaced whole, because several processes may write it at once.
 *
 * @throws {Error} for a skill that is not valid, and for content that is too large for a Worker
 */
export function writeDocsContent(): void {
  const pages = readPages()
  const { skills, problems } = readSkills(SKILLS)
  if (problems.length > 0) {
    throw new Error(
      problems.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n'),
    )
  }
  const text = `// Written by \`scripts/docs-content.ts\` from \`docs/\` and \`skills/\`.
export const PAGES = ${JSON.stringify(pages)}
export const INDEX = ${JSON.stringify(JSON.stringify(indexOf(pages)))}
export const SKILLS = ${JSON.stringify(skills)}
`
  const size = Buffer.byteLength(text)
  if (size > MAX_CONTENT_BYTES) {
    throw new Error(`The content has ${size} bytes; at most ${MAX_CONTENT_BYTES} fit.`)
  }
  mkdirSync(dirname(OUT), { recursive: true })
  const own = `${OUT}.${process.pid}`
  writeFileSync(own, text)
  renameSync(own, OUT)
}

export function readPages(): readonly Page[] {
  return readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => parsePage(path.replace(/\.md$/, ''), readFileSync(join(DOCS, path), 'utf8')))
}

function indexOf(pages: readonly Page[]): MiniSearch {
  const index = new MiniSearch(INDEX_OPTIONS)
  for (const { path, title, sections } of pages) {
    for (const { anchor, titles, text } of sections) {
      index.add({
        id: `/${path}#${anchor}`,
        title: titles.at(-1) ?? title,
        titles: titles.slice(0, -1),
        text,
      })
    }
  }
  return index
}
