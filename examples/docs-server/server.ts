/** The documentation as a server: two tools, the pages as resources, the skills, and a prompt for each skill. */
import * as z from 'zod'
import { type Skill, skill } from '../../src/features/skills/index.ts'
import { createServer, type McpServer, ResourceTemplate, ToolError } from '../../src/index.ts'
import { type Page, textOfPage } from './page.ts'
import { createSearch, type Search } from './search.ts'

/** What the build makes of `docs/` and `skills/`. */
export interface Content {
  readonly pages: readonly Page[]
  /** The search index as JSON. */
  readonly index: string
  readonly skills: readonly Skill[]
}

/** The longest text that one call returns, in characters. */
const MAX_READ_CHARACTERS = 20_000
const ONE_HOUR_MS = 3_600_000
const SCHEME = 'edgeway-docs:'

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

export function createDocsServer({ pages, index, skills }: Content): McpServer {
  const server = createServer({
    name: 'edgeway-docs',
    title: 'Edgeway documentation',
    version: '1.0.0',
    instructions:
      'The documentation of Edgeway, a runtime for remote MCP servers on Cloudflare Workers. Search it with search_docs, and read what was found with read_page.',
  })
  const search = createSearch(pages, index)
  registerSearch(server, search)
  registerRead(server, pages, search)
  registerPages(server, pages)
  for (const source of skills) {
    server.registerSkill(skill(source, { ttlMs: ONE_HOUR_MS, cacheScope: 'public' }))
    registerPrompt(server, source)
  }
  return server
}

function registerSearch(server: McpServer, search: Search): void {
  server.registerTool(
    'search_docs',
    {
      title: 'Search the documentation',
      description:
        'Finds sections of the Edgeway documentation, best first: guides, operations, security, reference and design. Returns the page and the section to read, and the line that fits best.',
      inputSchema: z.object({
        query: z.string().trim().min(1).max(200).describe('A question or some words'),
        limit: z.int().min(1).max(20).default(5),
      }),
      outputSchema: z.object({
        results: z.array(
          z.object({
            page: z.string().describe('For read_page'),
            section: z.string().describe('For read_page. Empty for the beginning of the page'),
            title: z.string(),
            snippet: z.string(),
          }),
        ),
      }),
      annotations,
    },
    ({ query, limit }) => {
      const results = search(query, limit).map(({ page, section, snippet }) => ({
        page: page.path,
        section: section.anchor,
        title: section.titles.join(' › '),
        snippet,
      }))
      const lines = results.map(
        ({ page, section, title, snippet }) =>
          `${title} (page ${page}${section === '' ? '' : `, section ${section}`})\n${snippet}`,
      )
      const text = lines.length === 0 ? 'Nothing was found. Try other words.' : lines.join('\n\n')
      return { content: [{ type: 'text', text }], structuredContent: { results } }
    },
  )
}

function registerRead(server: McpServer, pages: readonly Page[], search: Search): void {
  server.registerTool(
    'read_page',
    {
      title: 'Read a page',
      description:
        'Returns a page of the Edgeway documentation as Markdown, or one of its sections. A long text comes in parts: nextOffset is where the next one begins.',
      inputSchema: z.object({
        page: z.string().trim().min(1).max(200).describe('As search_docs returns it: guides/tools'),
        section: z.string().trim().max(200).optional().describe('As search_docs returns it'),
        offset: z.int().min(0).default(0).describe('The nextOffset of the part before'),
      }),
      outputSchema: z.object({
        page: z.string(),
        title: z.string(),
        text: z.string(),
        sections: z.array(z.string()).describe('The sections of the page'),
        nextOffset: z.int().optional(),
      }),
      annotations,
    },
    ({ page: name, section, offset }) => {
      const page = findPage(pages, name)
      if (page === undefined) throw new ToolError(unknownPage(name, search))
      const whole = textOfSection(page, section)
      if (offset >= whole.length) {
        throw new ToolError(`The text has ${whole.length} characters: offset must be smaller.`)
      }
      const text = whole.slice(offset, offset + MAX_READ_CHARACTERS)
      const next = offset + text.length
      const isLast = next >= whole.length
      const structuredContent = {
        page: page.path,
        title: page.title,
        text,
        sections: page.sections.map(({ anchor }) => anchor).filter((anchor) => anchor !== ''),
        ...(isLast ? {} : { nextOffset: next }),
      }
      const rest = isLast ? [] : [{ type: 'text' as const, text: `Continues at offset ${next}.` }]
      return { content: [{ type: 'text', text }, ...rest], structuredContent }
    },
  )
}

/** A page by its path, also as a link or a URI has it. */
function findPage(pages: readonly Page[], name: string): Page | undefined {
  const [path = ''] = name.replace(SCHEME, '').replace(/^\/+/, '').split('#')
  const wanted = path.replace(/\.md$/, '')
  return pages.find((page) => page.path === wanted)
}

function unknownPage(name: string, search: Search): string {
  const found = new Set(
    search(name.replaceAll(/[^\p{L}\p{N}]+/gu, ' '), 5).map(({ page }) => page.path),
  )
  const hint =
    found.size === 0 ? 'Find one with search_docs.' : `Similar: ${[...found].join(', ')}.`
  return `There is no page ${JSON.stringify(name)}. ${hint}`
}

/** A section with those under it, or the whole page. */
function textOfSection(page: Page, anchor: string | undefined): string {
  const wanted = anchor?.replace(/^#/, '')
  if (wanted === undefined || wanted === '') return textOfPage(page)
  const first = page.sections.findIndex((section) => section.anchor === wanted)
  const section = page.sections[first]
  if (section === undefined) {
    const names = page.sections.map((other) => other.anchor).filter((name) => name !== '')
    throw new ToolError(
      `${page.path} has no section ${JSON.stringify(wanted)}. Its sections: ${names.join(', ')}.`,
    )
  }
  const depth = section.titles.length
  const after = page.sections.slice(first + 1).findIndex(({ titles }) => titles.length <= depth)
  const end = after === -1 ? undefined : first + 1 + after
  return page.sections
    .slice(first, end)
    .map(({ text }) => text)
    .join('\n\n')
}

function registerPages(server: McpServer, pages: readonly Page[]): void {
  server.registerResource(
    'page',
    new ResourceTemplate(`${SCHEME}{+path}`, {
      list: (_, { expand }) => ({
        resources: pages.map(({ path, title }) => ({
          uri: expand({ path }),
          name: path,
          title,
          mimeType: 'text/markdown',
        })),
      }),
      complete: {
        path: (typed) =>
          pages.map(({ path }) => path).filter((path) => path.includes(typed.toLowerCase())),
      },
    }),
    {
      title: 'A page of the documentation',
      mimeType: 'text/markdown',
      ttlMs: ONE_HOUR_MS,
      cacheScope: 'public',
    },
    (_, { path }) => {
      const page = findPage(pages, String(path))
      return page === undefined ? undefined : textOfPage(page)
    },
  )
}

/** For clients without skills: the person inserts the instructions of one. */
function registerPrompt(server: McpServer, source: Skill): void {
  const name = source.path
  server.registerPrompt(
    name,
    {
      title: name.replaceAll('-', ' '),
      description: String(source.frontmatter.description),
      argsSchema: z.object({ task: z.string().max(2_000).optional() }),
    },
    ({ task }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: `skill://${name}/SKILL.md`,
            mimeType: 'text/markdown',
            text: instructionsOf(source),
          },
        },
      },
      {
        role: 'user',
        content: { type: 'text', text: `Follow these instructions.${task ? ` ${task}` : ''}` },
      },
    ],
  )
}

function instructionsOf({ files = {} }: Skill): string {
  const file = files['SKILL.md']
  if (typeof file !== 'object' || !('text' in file)) throw new TypeError('A skill has no SKILL.md.')
  return String(file.text)
}
