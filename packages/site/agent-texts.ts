/**
 * The texts for agents beside the built pages: the Markdown of each page at its path with `.md`, `llms.txt`, which
 * lists the pages, and `llms-full.txt`, which has the guides, operations and security in one file.
 *
 * @see https://llmstxt.org
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { SECTIONS } from './menu.ts'

/** What an `llms.txt` lists last: pages that an agent may leave out. */
const OPTIONAL = ['changelog', 'reporting']

const HEAD = `# Edgeway

> A runtime for remote MCP servers on Cloudflare Workers: write tools, resources and prompts once, and serve them from one endpoint to every client, in the protocol revision that the client speaks.
`

const ABOUT = `Each page is Markdown at its address with \`.md\`. [llms-full.txt](/llms-full.txt) has the guides, operations and security in one file. The npm package \`edgeway\` contains the same documents in \`docs/\`, and skills for agents in \`skills/\`: how to build a server, how to move one, and how to find out why a client does not connect.
`

interface Page {
  /** Path in the site without `.md`, such as `guides/tools`. */
  readonly path: string
  readonly title: string
  /** Markdown without what the pages do not show. */
  readonly text: string
}

/** Comments declare what a code block assumes, for the test that compiles it. */
const COMMENT = /^<!--[\s\S]*?-->\n/gm

/** Code, where a link is none, or the target of a link. */
const CODE_OR_TARGET = /^```[\s\S]*?^```|`[^`\n]*`|\]\(([^)\s]+)\)/gm

function readPage(pages: string, path: string): Page {
  const text = readFileSync(join(pages, `${path}.md`), 'utf8').replace(COMMENT, '')
  const [, title = path] = /^# (.+)$/m.exec(text) ?? []
  return { path, title: title.replaceAll('`', ''), text }
}

/** What comes before the first sentence of a skill, or of a page that begins with commands. */
const FRONTMATTER_OR_CODE = /^---\n[\s\S]*?^---\n|^```[\s\S]*?^```$/gm

/** A first sentence that is shorter says too little of a page. */
const MIN_SUMMARY_LENGTH = 50

/** The first sentences of a page, without links. Empty for a page that begins with a list. */
function summaryOf({ text }: Page): string {
  const paragraphs = text.replaceAll(FRONTMATTER_OR_CODE, '').split(/\n{2,}/)
  const first = paragraphs.find((paragraph) => /^(?!- )[^#|<\s]/.test(paragraph.trimStart())) ?? ''
  const line = first
    .trim()
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const ends = [...line.matchAll(/[.:](?=\s|$)/g)].map(({ index }) => index)
  const end = ends.find((index) => index >= MIN_SUMMARY_LENGTH) ?? ends.at(-1)
  return end === undefined ? line : `${line.slice(0, end)}.`
}

function itemOf(page: Page): string {
  const summary = summaryOf(page)
  return `- [${page.title}](/${page.path}.md)${summary === '' ? '' : `: ${summary}`}`
}

const list = (title: string, pages: readonly Page[]) =>
  `## ${title}\n\n${pages.map(itemOf).join('\n')}\n`

/** Relative links, as links from the root of the site. */
function withRootLinks({ path, text }: Page): string {
  return text.replaceAll(CODE_OR_TARGET, (match: string, target: string | undefined) => {
    if (target === undefined || /^(?:[a-z]+:|\/)/i.test(target)) return match
    const [file = '', section] = target.split('#')
    const to = file === '' ? `/${path}.md` : posix.join('/', dirname(path), file)
    return `](${to}${section === undefined ? '' : `#${section}`})`
  })
}

const isInFull = (path: string) => /^(?:guides\/|operations$|security$)/.test(path)

/** The pages of a folder, by name. */
const pagesIn = (pages: string, folder: string) =>
  readdirSync(join(pages, folder))
    .filter((file) => file !== 'index.md')
    .sort()
    .map((file) => readPage(pages, `${folder}/${file.replace(/\.md$/, '')}`))

function fullText(pages: string): string {
  const menu = Object.values(SECTIONS).flat()
  const whole = menu.filter(isInFull).map((path) => readPage(pages, path))
  const others = menu.filter((path) => !isInFull(path)).map((path) => readPage(pages, path))
  return [
    HEAD,
    ...whole.map((page) => `Page: /${page.path}.md\n\n${withRootLinks(page).trim()}\n`),
    list('Reference and design', others),
  ].join('\n')
}

function listText(pages: string): string {
  const read = (paths: readonly string[]) => paths.map((path) => readPage(pages, path))
  return [
    HEAD,
    ABOUT,
    list('Skills', pagesIn(pages, 'skills')),
    ...Object.entries(SECTIONS).map(([title, paths]) => list(title, read(paths))),
    list('Optional', read(OPTIONAL)),
  ].join('\n')
}

/**
 * Writes the texts to the folder of the build.
 *
 * @param pages the folder of the assembled pages
 * @param paths the paths of all pages in it, with `.md`
 */
export function writeAgentTexts(pages: string, out: string, paths: readonly string[]): void {
  const write = (path: string, text: string) => {
    const file = join(out, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const path of paths) write(path, readPage(pages, path.replace(/\.md$/, '')).text)
  const llms = listText(pages)
  write('llms.txt', llms)
  // The first page has no text of its own.
  write('index.md', llms)
  write('llms-full.txt', fullText(pages))
}
