/** What the build of the documentation site writes: pages, the texts for agents beside them, and the index of the search. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import MiniSearch from 'minisearch'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { unstable_startWorker } from 'wrangler'
import { findChromium } from '../../../test/browser/find-chromium.ts'
import { SECTIONS } from '../menu.ts'
import { FOLDERS, REDIRECTS } from '../redirects.ts'
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

const read = (path: string) => readFileSync(join(DIST, path), 'utf8')
const filesWith = (end: string) =>
  readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(end))

describe('the front page of the site', () => {
  it('has code, and a picture of at most 100 KB for each theme', () => {
    const page = read('index.html')
    expect(page).toContain('class="language-ts')
    const pictures = [...page.matchAll(/<img[^>]* src="\/([^"]+)"[^>]* alt="([^"]+)"/g)]
    expect(pictures.map(([, file]) => file)).toEqual([
      'inspector-light.webp',
      'inspector-dark.webp',
    ])
    for (const [, file = ''] of pictures) {
      expect(statSync(join(DIST, file)).size).toBeLessThan(100_000)
    }
  })
})

describe('the Markdown beside the pages of the site', () => {
  it('exists for every page, and the page names it', () => {
    const pages = filesWith('.html').filter((path) => path !== '404.html')
    const without = pages.filter((path) => {
      const twin = path.replace(/\.html$/, '.md')
      const link = `<link rel="alternate" type="text/markdown" href="/${twin}">`
      return !existsSync(join(DIST, twin)) || !read(path).includes(link)
    })
    expect(pages.length).toBeGreaterThan(100)
    expect(without).toEqual([])
    expect(filesWith('.md')).toHaveLength(pages.length)
  })

  it('is the text of the document, without the comments of its code blocks', () => {
    const document = readFileSync(resolve(DIST, '../../../../docs/guides/state.md'), 'utf8')
    expect(document).toContain('<!-- assumes')
    expect(read('guides/state.md')).toBe(document.replaceAll(/^<!--[^>]*-->\n/gm, ''))
  })
})

describe('the skills on the site', () => {
  it('are the files of the package', () => {
    for (const path of filesWith('.md').filter((file) => file.startsWith('skills/'))) {
      const name = path.replace(/^skills\/(.*)\.md$/, '$1')
      const file = resolve(DIST, '../../../../skills', name, 'SKILL.md')
      expect(read(path)).toBe(readFileSync(file, 'utf8'))
    }
    expect(filesWith('.md').filter((file) => file.startsWith('skills/'))).toHaveLength(3)
  })
})

describe('the lists of the site for agents', () => {
  it('llms.txt lists every page of the menu, under a title and a summary', () => {
    const text = read('llms.txt')
    expect(text).toMatch(/^# Edgeway\n\n> A runtime for remote MCP servers/)
    for (const path of Object.values(SECTIONS).flat()) expect(text).toContain(`](/${path}.md)`)
    expect(text).toMatch(/^- \[Tools\]\(\/guides\/tools\.md\): A tool is a function/m)
    expect(text).toMatch(
      /^## Skills\n\n- \[Build an MCP server with Edgeway\]\(\/skills\/edgeway-build-a-server\.md\): \w/m,
    )
    expect(text).toMatch(/^## Optional$/m)
  })

  it('llms-full.txt has guides, operations and security, and links reference and decisions', () => {
    const text = read('llms-full.txt')
    const guides = readdirSync(join(DIST, 'guides')).filter((file) => file.endsWith('.md'))
    for (const path of [
      ...guides.map((file) => `guides/${file}`),
      'operations.md',
      'security.md',
    ]) {
      const [title = ''] = read(path).split('\n')
      expect(text).toContain(`Page: /${path}\n\n${title}\n`)
      // Text without a link is unchanged.
      expect(text).toContain(read(path).trim().split('\n').at(-1)?.split('](')[0])
    }
    expect(text).not.toContain('Page: /reference/')
    expect(text).not.toContain('Page: /decisions')
    const reference = ['reasons.md', 'faults.md', 'formats.md', 'configuration.md', 'api/index.md']
    expect(text).toContain('](/decisions.md)')
    for (const file of reference) expect(text).toContain(`](/reference/${file})`)
  })
})

/** The targets of the links in Markdown, outside of code. */
const targetsOf = (markdown: string) =>
  [...markdown.matchAll(/^```[\s\S]*?^```|`[^`\n]*`|\]\(([^)\s]+)\)/gm)].flatMap(([, target]) =>
    target === undefined || /^(?:https?|mailto):/.test(target) ? [] : [target],
  )

/** The anchors of each page, as the HTML has them. */
const anchors = new Map<string, ReadonlySet<string>>()

function anchorsOf(page: string): ReadonlySet<string> {
  const known = anchors.get(page)
  if (known !== undefined) return known
  const found = new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
  anchors.set(page, found)
  return found
}

function leadsNowhere(from: string, target: string): boolean {
  const [path = '', section] = target.split('#')
  const joined = path === '' ? from : posix.join(posix.dirname(`/${from}`), path).slice(1)
  const file = path.startsWith('/') ? path.slice(1) : joined
  const twin = file.endsWith('/') || file === '' ? `${file}index.md` : file
  if (!existsSync(join(DIST, twin))) return true
  return section !== undefined && !anchorsOf(twin.replace(/\.md$/, '.html')).has(section)
}

describe('the links in the texts for agents', () => {
  it('lead to a text of the site, and to a section that its page has', () => {
    const texts = [...filesWith('.md'), 'llms.txt', 'llms-full.txt']
    const links = texts.flatMap((from) => targetsOf(read(from)).map((to) => [from, to] as const))
    expect(links.length).toBeGreaterThan(1_000)
    expect(links.filter(([from, to]) => leadsNowhere(from, to))).toEqual([])
  })

  it('are seen as broken where the file or the section does not exist', () => {
    expect(leadsNowhere('guides/tools.md', 'no-page.md')).toBe(true)
    expect(leadsNowhere('guides/tools.md', 'resources.md#no-section')).toBe(true)
    expect(leadsNowhere('guides/tools.md', '#no-section')).toBe(true)
    expect(leadsNowhere('llms.txt', '/guides/resources.md#prompts')).toBe(false)
  })
})

describe('the site as Workers static assets', () => {
  let worker: Awaited<ReturnType<typeof unstable_startWorker>>

  beforeAll(async () => {
    worker = await unstable_startWorker({
      config: resolve(DIST, '../../wrangler.jsonc'),
      dev: { server: { port: 0 }, inspector: false, watch: false, logLevel: 'none' },
    })
    await worker.ready
  }, 300_000)

  afterAll(() => worker.dispose())

  it.each([
    ['/guides/tools', 200, 'text/html'],
    ['/guides/tools.md', 200, 'text/markdown'],
    ['/reference/api/index.md', 200, 'text/markdown'],
    ['/llms.txt', 200, 'text/plain'],
    ['/llms-full.txt', 200, 'text/plain'],
    ['/guides/no-page.md', 404, 'text/html'],
  ])('answers %s with %i and %s', async (path, status, type) => {
    const response = await worker.fetch(`http://localhost${path}`)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  })

  it('has a search that finds the page for a question that is typed in a browser', async () => {
    const browser = await chromium.launch({
      executablePath: await findChromium(),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(String(await worker.url))
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('how can I ask a person')
    const results = page.getByRole('listbox').getByRole('option')
    await results.first().waitFor()
    const links = [0, 1, 2].map((place) =>
      results.nth(place).getByRole('link').getAttribute('href'),
    )
    expect((await Promise.all(links)).join()).toContain('/guides/asking-people')
    expect(errors).toEqual([])
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

  it.each(FOLDERS)('redirect from each page of the folder %s to the page of its name', (folder) => {
    expect(lines()).toContain(`/${folder}/* /${folder} 301`)
    expect(existsSync(join(DIST, `${folder}.html`))).toBe(true)
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
