/** Tests the documentation as a server: its search, its pages, its skills and its prompts. */
import { createExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { INDEX, PAGES, SKILLS } from '../../examples/docs-server/content.generated.js'
import { parsePage, textOfPage } from '../../examples/docs-server/page.ts'
import { createSearch } from '../../examples/docs-server/search.ts'
import worker from '../../examples/docs-server/worker.ts'
import { QUESTIONS } from '../../packages/site/test/questions.ts'
import { createClient } from './client.ts'

const client = createClient((request) =>
  worker.fetch(request, {} as never, createExecutionContext()),
)

const EXTENSIONS = {
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/skills': {} },
  },
}

describe('the tools of the documentation server', () => {
  it('have titles, all hints, and output schemas', async () => {
    const { tools } = await client.ask('tools/list')
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['search_docs', 'read_page'])
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        outputSchema: { type: 'object' },
      })
    }
  })
})

describe('search_docs', () => {
  it('returns sections with the line that fits, and read_page reads them', async () => {
    const { results } = await client.call('search_docs', {
      query: 'Why does my handler run twice?',
    })
    expect(results).toHaveLength(5)
    const [first] = results
    expect(first).toMatchObject({
      page: 'guides/asking-people',
      section: 'why-a-handler-runs-twice',
      title: 'Asking people › Why a handler runs twice',
      snippet: expect.stringContaining('runs once more'),
    })
    const { text } = await client.call('read_page', { page: first.page, section: first.section })
    expect(text).toMatch(/^## Why a handler runs twice\n/)
    expect(text).toContain(first.snippet)
  })

  const search = createSearch(PAGES, INDEX)

  it.each(QUESTIONS)('answers "%s" with one of its first three results', (question, ...pages) => {
    const found = search(question, 3).map(({ page }) => page.path)
    expect(found).toContainEqual(expect.toBeOneOf(pages))
  })

  it('returns as many results as are asked for, and short snippets', async () => {
    const { results } = await client.call('search_docs', { query: 'session', limit: 20 })
    expect(results).toHaveLength(20)
    for (const { snippet } of results) expect(snippet.length).toBeLessThanOrEqual(302)
  })

  it('finds nothing for words that no page has, and says so', async () => {
    const result = await client.ask('tools/call', {
      name: 'search_docs',
      arguments: { query: 'zebra xylophone' },
    })
    expect(result.structuredContent).toEqual({ results: [] })
    expect(result.content[0].text).toBe('Nothing was found. Try other words.')
  })

  it.each([
    ['a blank query', { query: '  ' }],
    ['a query of 201 characters', { query: 'a'.repeat(201) }],
    ['no query', {}],
    ['a limit of 0', { query: 'tool', limit: 0 }],
    ['a limit of 21', { query: 'tool', limit: 21 }],
  ])('refuses %s', async (_, args) => {
    expect(await client.refusal('search_docs', args)).toMatch(/^Invalid arguments/)
  })

  it.each(['.*+?^$()[]{}|\\', '__proto__', 'constructor', '"</script>"', '🙂', '\u0000'])(
    'answers the query %j without an error',
    async (query) => {
      const { results } = await client.call('search_docs', { query: `${query} tool` })
      expect(results.length).toBeGreaterThan(0)
    },
  )
})

describe('read_page', () => {
  it('returns a long page in parts that join to its text', async () => {
    const [page] = PAGES.toSorted((a, b) => textOfPage(b).length - textOfPage(a).length)
    if (page === undefined) throw new Error('The documentation has no page.')
    const parts: string[] = []
    let offset: number | undefined = 0
    while (offset !== undefined) {
      const part = await client.call('read_page', { page: page.path, offset })
      parts.push(part.text)
      offset = part.nextOffset
    }
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.join('')).toBe(textOfPage(page))
  })

  it.each([
    'guides/tools',
    'guides/tools.md',
    '/guides/tools.md',
    'guides/tools.md#schemas',
    'edgeway-docs:guides/tools',
  ])('accepts %s as the name of a page', async (page) => {
    const read = await client.call('read_page', { page })
    expect(read).toMatchObject({ page: 'guides/tools', title: 'Tools' })
    expect(read.sections).toContain('schemas')
    expect(read.text).not.toContain('<!-- assumes')
  })

  it('returns a section with the sections under it', async () => {
    const { text } = await client.call('read_page', {
      page: 'guides/when-a-client-does-not-connect',
      section: 'the-doctor',
    })
    expect(text).toMatch(/^## The doctor\n/)
    expect(text).toContain('### In CI')
    expect(text).not.toContain('## The connection timeline')
  })

  it.each(['../package.json', 'guides/../../package', 'guides', '__proto__', 'x'])(
    'refuses the page %s, and says how to find one',
    async (page) => {
      expect(await client.refusal('read_page', { page })).toMatch(
        /^There is no page .*(?:Similar: \S|search_docs)/,
      )
    },
  )

  it('refuses an unknown section with those of the page, and an offset behind the text', async () => {
    const unknown = { page: 'guides/tools', section: 'nothing' }
    expect(await client.refusal('read_page', unknown)).toMatch(/has no section "nothing".* schemas/)
    const behind = { page: 'guides/tools', offset: 1_000_000 }
    expect(await client.refusal('read_page', behind)).toMatch(/offset must be smaller/)
  })
})

describe('the resources of the documentation server', () => {
  it('are the pages, listed, completed and read by their template', async () => {
    const uris: string[] = []
    let cursor: string | undefined
    do {
      const list = await client.ask('resources/list', cursor === undefined ? {} : { cursor })
      uris.push(...list.resources.map(({ uri }: { uri: string }) => uri))
      cursor = list.nextCursor
    } while (cursor !== undefined)
    const { resourceTemplates } = await client.ask('resources/templates/list')
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'edgeway-docs:{+path}' }])
    expect(uris).toContain('edgeway-docs:guides/tools')
    const { contents } = await client.ask('resources/read', { uri: 'edgeway-docs:guides/tools' })
    expect(contents).toMatchObject([
      { mimeType: 'text/markdown', text: expect.stringMatching(/^# Tools\n/) },
    ])
    const { completion } = await client.ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'edgeway-docs:{+path}' },
      argument: { name: 'path', value: 'guides/te' },
    })
    expect(completion.values).toEqual(['guides/telemetry', 'guides/testing'])
  })

  it('do not exist for other paths', async () => {
    const { body } = await client.send('resources/read', { uri: 'edgeway-docs:../package.json' })
    expect(body).toMatchObject({ error: { code: expect.any(Number) } })
  })
})

describe('the skills of the documentation server', () => {
  const names = ['edgeway-build-a-server', 'edgeway-find-connection-fault', 'edgeway-move-a-server']

  it('are those of the package, by the extension and as resources', async () => {
    const { skills } = await client.ask('skills/list', {}, { meta: EXTENSIONS })
    expect(
      skills.map(({ frontmatter }: { frontmatter: { name: string } }) => frontmatter.name),
    ).toEqual(names)
    const { contents } = await client.ask('resources/read', {
      uri: 'skill://edgeway-build-a-server/SKILL.md',
    })
    expect(contents[0].text).toMatch(/^---\nname: edgeway-build-a-server\n/)
  })

  it('are prompts too, with the task of the person', async () => {
    const { prompts } = await client.ask('prompts/list')
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual(names)
    const { messages } = await client.ask('prompts/get', {
      name: 'edgeway-build-a-server',
      arguments: { task: 'It looks up parcels.' },
    })
    expect(messages).toMatchObject([
      {
        role: 'user',
        content: { resource: { text: expect.stringContaining('# Build an MCP server') } },
      },
      { role: 'user', content: { text: 'Follow these instructions. It looks up parcels.' } },
    ])
    expect(SKILLS).toHaveLength(3)
  })
})

describe('a page of the documentation', () => {
  it('has a section for each heading, and none in a block of code', () => {
    const page = parsePage(
      'a',
      '# A `b`\n\nText\n\n```sh\n# no heading\n```\n\n## C, [d](e)\n\n### F\n\n## C, d\n',
    )
    expect(page.title).toBe('A b')
    expect(page.sections.map(({ anchor, titles }) => [anchor, titles])).toEqual([
      ['', ['A b']],
      ['c-d', ['A b', 'C, d']],
      ['f', ['A b', 'C, d', 'F']],
      ['c-d-1', ['A b', 'C, d']],
    ])
  })

  it('must begin with a title', () => {
    expect(() => parsePage('a', 'Text\n# A\n')).toThrow('a.md does not begin with a title')
  })

  it('has every section that another page links to', () => {
    const anchors = new Set(
      PAGES.flatMap(({ path, sections }) => sections.map(({ anchor }) => `${path}.md#${anchor}`)),
    )
    const broken = PAGES.flatMap((page) =>
      [...textOfPage(page).matchAll(/\]\(([^)\s:]*\.md#[^)\s]+)\)/g)].flatMap(([, link = '']) => {
        const target = new URL(link, `https://docs/${page.path}`)
        return anchors.has(target.pathname.slice(1) + target.hash) ? [] : [`${page.path}: ${link}`]
      }),
    )
    // Files of the root are no pages.
    expect(broken.filter((link) => !/CHANGELOG|SECURITY/.test(link))).toEqual([])
  })
})
