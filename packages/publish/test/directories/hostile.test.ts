/** Servers that attack the examination for directories: it ends in time and within bounds, and refuses them. */

import { describe, expect, it } from 'vitest'
import { readServer } from '../../../doctor/src/definition/read-server.ts'
import { startReferenceServer } from '../../../doctor/test/reference-server.ts'
import { stoppedAfterAll } from '../../../doctor/test/started.ts'
import {
  type Answer,
  type Defect,
  json,
  onMethod,
  onResult,
  TOOL,
} from '../../../faults/test/planted/plant.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { examineServerFor } from '../../src/directories/examine.ts'
import { DIRECTORY_NAMES } from '../../src/directories/names.ts'
import { directoriesText } from '../../src/directories/report.ts'

const started = stoppedAfterAll()

async function start(defect: Defect): Promise<string> {
  const server = await started(startReferenceServer({ defect }))
  return server.url
}

async function examine(defect: Defect) {
  const url = await start(defect)
  const report = await examineServerFor(DIRECTORY_NAMES, url, { timeoutMs: 5000 })
  const text = directoriesText(report, { colors: false, columns: 80 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing of a server controls a terminal
  expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/)
  const codes = report.directories.flatMap(({ findings }) => findings.map(({ code }) => code))
  return { codes: [...new Set(codes)], report }
}

const tools = (...entries: readonly unknown[]): Defect =>
  onResult('tools/list', (result) => ({ ...result, tools: entries }))

const page = (result: unknown): Defect =>
  onMethod('tools/list', (id) => json({ jsonrpc: '2.0', id, result }))

/** Nested so deeply that it cannot be written as JSON. */
const deep = (levels: number) => `${'{"properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`

const raw = (text: string): Defect =>
  onMethod('tools/list', (id) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[${text}]}}`,
  }))

const WRONG_ENTRIES: readonly unknown[] = [
  null,
  5,
  'greet',
  [],
  [[TOOL]],
  {},
  { name: 5 },
  { name: 'a', inputSchema: null },
  { name: {}, inputSchema: {} },
  { ...TOOL, title: 5 },
  { ...TOOL, description: ['Greets.'] },
  { ...TOOL, annotations: 'readOnlyHint' },
  { ...TOOL, annotations: { readOnlyHint: 'true' } },
  { ...TOOL, outputSchema: true },
  { ...TOOL, _meta: null },
  { ...TOOL, icons: { src: 'x' } },
]

describe('a hostile server', () => {
  it.each(WRONG_ENTRIES)('with the entry %j is refused by its code', async (entry) => {
    const { codes } = await examine(tools(TOOL, entry))
    expect(codes).toContain('list-entry-invalid')
  })

  it('with annotations of its own is examined by the known ones', async () => {
    const annotations = { ...TOOL.annotations, costHint: 'low' }
    const { codes } = await examine(tools({ ...TOOL, annotations }))
    expect(codes).not.toContain('list-entry-invalid')
  })

  it.each([
    null,
    [],
    {},
    { tools: null },
    { tools: { name: 'greet' } },
    { tools: [TOOL], nextCursor: null },
    { tools: [TOOL], nextCursor: 5 },
  ])('with the page %j of tools is refused', async (result) => {
    const { codes, report } = await examine(page(result))
    expect(codes).toContain('list-incomplete')
    expect(report.directories.map(({ accepts }) => accepts)).toEqual([false, false, true])
  })

  it('with a cursor on every page is read to the bound', async () => {
    let pages = 0
    const { codes } = await examine(
      onResult('tools/list', (result) => ({ ...result, nextCursor: `page ${pages++}` })),
    )
    expect(codes).toContain('list-incomplete')
    expect(pages).toBeLessThan(1000)
  })

  it('with 100,000 tools is read to the bound', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({
      name: `t${index}`,
      inputSchema: {},
    }))
    const { codes } = await examine(tools(...many))
    expect(codes).toEqual(expect.arrayContaining(['list-incomplete', 'list-too-large']))
  })

  it.each([10, 20_000])('with a schema of %i levels is examined', async (levels) => {
    const { codes } = await examine(
      raw(`{"name":"greet","title":"a","description":"a","inputSchema":${deep(levels)}}`),
    )
    expect(codes).toContain('tool-hints-missing')
  })

  it('with members of Object.prototype is examined as it is', async () => {
    const name =
      '"name":"greet","inputSchema":{"type":"object","properties":{"__proto__":{"enum":["a"]}}}'
    const { codes } = await examine(raw(`{${name},"__proto__":{"title":5},"constructor":1}`))
    expect(codes).toContain('tool-title-missing')
  })

  it('with texts that control a terminal has them made printable', async () => {
    const { codes } = await examine(
      tools({ ...TOOL, name: '\u001b[2J\u202Egreet', title: '\u0007' }),
    )
    expect(codes).toEqual(expect.arrayContaining(['tool-name-characters', 'text-hidden']))
  })

  it('with a description of 3 MiB is examined in time', async () => {
    const description = 'call the tool before any, always '.repeat(95_000)
    const started = performance.now()
    const { codes } = await examine(tools({ ...TOOL, description }))
    expect(codes).toContain('list-too-large')
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

const CARD_TYPE = 'application/mcp-server-card+json'

/** Answers at the paths, and lets the endpoint answer as before. */
const documents =
  (answers: Readonly<Record<string, (origin: string) => Answer>>): Defect =>
  (request, next, origin) =>
    answers[request.path]?.(origin) ?? next()

const catalogOf =
  (...paths: readonly string[]) =>
  (origin: string) =>
    json({
      specVersion: '1.0',
      entries: paths.map((path, index) => ({
        identifier: `urn:example:${index}`,
        type: CARD_TYPE,
        url: origin + path,
      })),
    })

const cardOf = (name: string, path: string) => (origin: string) =>
  json({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name,
    version: '1.0.0',
    description: 'Greets.',
    remotes: [{ type: 'streamable-http', url: origin + path }],
  })

const CATALOG = '/.well-known/ai-catalog.json'

describe('a catalogue', () => {
  const ofCards = (codes: readonly string[]) =>
    codes.filter((code) => /^(?:card|catalog)-|-differs$/.test(code))

  it('leads to the card of the endpoint among those of other servers', async () => {
    const { codes } = await examine(
      documents({
        [CATALOG]: catalogOf('/other-card', '/own-card'),
        '/other-card': cardOf('com.example/other', '/other'),
        '/own-card': cardOf('com.example/another', '/mcp'),
      }),
    )
    expect(ofCards(codes)).toEqual(['name-differs'])
  })

  it('says nothing of a server that it does not name', async () => {
    const { codes } = await examine(
      documents({
        [CATALOG]: catalogOf('/a', '/b'),
        '/a': cardOf('com.example/a', '/one'),
        '/b': cardOf('com.example/b', '/two'),
      }),
    )
    expect(ofCards(codes)).toEqual([])
  })

  it('is invalid where it leads to no card', async () => {
    const { codes } = await examine(documents({ [CATALOG]: catalogOf('/mcp/server-card') }))
    expect(ofCards(codes)).toEqual(['catalog-invalid'])
  })

  it('is not invalid where the card is refused for now', async () => {
    const busy = () => json({}, 503)
    const { codes } = await examine(
      documents({ [CATALOG]: catalogOf('/mcp/server-card'), '/mcp/server-card': busy }),
    )
    expect(ofCards(codes)).toEqual([])
  })
})

describe('the proof of a domain', () => {
  it('is not examined where a limit of the rate refuses it', async () => {
    const limited = () => json({ error: 'Too many requests' }, 429)
    const { codes } = await examine(
      documents({
        '/.well-known/openai-apps-challenge': limited,
        '/.well-known/mcp-registry-auth': limited,
      }),
    )
    expect(codes.filter((code) => code.startsWith('proof-'))).toEqual([])
  })
})

describe('a card that is no JSON', () => {
  it('is invalid', async () => {
    const card = () => ({ status: 200, headers: { 'content-type': CARD_TYPE }, body: '{"name":' })
    const { codes } = await examine(documents({ '/mcp/server-card': card }))
    expect(codes).toContain('card-invalid')
  })
})

describe('readServer', () => {
  it('returns the lists of all pages', async () => {
    const paged: Defect = (request, next) => {
      const { method, id, params } = request.json as {
        method?: string
        id?: unknown
        params?: object
      }
      if (method !== 'tools/list') return next()
      const isSecond = (params as { cursor?: string } | undefined)?.cursor === '2'
      const result = isSecond
        ? { tools: [{ ...TOOL, name: 'leave' }] }
        : { tools: [TOOL], nextCursor: '2' }
      return json({ jsonrpc: '2.0', id, result })
    }
    const surface = await readServer(await start(paged))
    expect(surface.tools.map(({ name }) => name)).toEqual(['greet', 'leave'])
    expect(surface.info).toMatchObject({ name: expect.any(String), version: '1.0.0' })
  })

  it('leaves out what no client accepts', async () => {
    const surface = await readServer(await start(tools(null, { ...TOOL, title: 5 })))
    expect(surface.tools).toHaveLength(1)
    expect(surface.tools[0]).not.toHaveProperty('title')
  })

  it('says what to do where a token is needed, and what a wrong one is answered with', async () => {
    const server = await started(startReferenceServer({ isProtected: true }))
    await expect(readServer(server.url)).rejects.toThrow(/Pass --login or --token/)
    await expect(readServer(server.url)).rejects.toBeInstanceOf(CommandError)
    await expect(readServer(server.url, { token: 'wrong' })).rejects.toThrow(/status 401/)
  })

  it('says why nothing answers', async () => {
    await expect(readServer('http://127.0.0.1:1/mcp')).rejects.toThrow(/No MCP server was reached/)
  })
})
