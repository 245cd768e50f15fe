import { describe, expect, it } from 'vitest'
import type { PageOptions } from '../../../src/features/files/index.ts'
import { pageLength } from '../../../src/features/files/operations/page.ts'
import { ToolError } from '../../../src/index.ts'
import { as, run } from '../../durable-objects/state/run.ts'
import { TaskClient } from '../../durable-objects/task/task-client.ts'
import type { FullContext } from '../../support/full-server.ts'
import { keepHandler } from '../../support/session-server.ts'
import { bucket } from './storage.ts'

const page = (
  text: Parameters<FullContext['page']>[0],
  options?: PageOptions,
  client?: TaskClient,
) => run((ctx) => ctx.page(text, options), client)

const refusalOf = (cursor: unknown, client?: TaskClient) =>
  run((ctx) => ctx.page('', { cursor: cursor as string }).catch((error: unknown) => error), client)

async function keysOfBucket(): Promise<readonly string[]> {
  const { objects } = await bucket.list()
  return objects.map(({ key }) => key)
}

/** Reads all pages. */
async function pagesOf(text: string, pageBytes: number): Promise<string[]> {
  const pages: string[] = []
  let cursor: string | undefined
  do {
    const next = await page(cursor === undefined ? text : 'another text', { cursor, pageBytes })
    pages.push(next.text)
    cursor = next.nextCursor
  } while (cursor !== undefined)
  return pages
}

const LINES = Array.from({ length: 400 }, (_, line) => `line ${line} é語😀`).join('\n')

describe('ctx.page', () => {
  it('returns a short text as it is, without a notice', async () => {
    expect(await page('short')).toEqual({
      content: [{ type: 'text', text: 'short' }],
      text: 'short',
      nextCursor: undefined,
    })
  })

  it('splits at the ends of lines, and the pages are the text', async () => {
    const pages = await pagesOf(LINES, 1000)
    expect(pages.join('')).toBe(LINES)
    expect(pages.length).toBeGreaterThan(5)
    for (const text of pages.slice(0, -1)) expect(text.endsWith('\n')).toBe(true)
    for (const text of pages) {
      expect(new TextEncoder().encode(text).byteLength).toBeLessThanOrEqual(1000)
    }
  })

  it('names the next cursor and its argument in a notice', async () => {
    const { content, nextCursor } = await page(LINES, { pageBytes: 1000, argument: 'from' })
    expect(content).toHaveLength(2)
    expect(content[1]?.text).toMatch(
      /^\[Bytes 0 to \d+ of \d+\. There is more text: call this tool again/,
    )
    expect(content[1]?.text).toContain(JSON.stringify({ from: nextCursor }))
  })

  it('calls a function for the first page alone', async () => {
    let calls = 0
    const text = () => {
      calls += 1
      return LINES
    }
    const { nextCursor } = await page(text, { pageBytes: 1000 })
    await page(text, { pageBytes: 1000, cursor: nextCursor })
    expect(calls).toBe(1)
  })

  it('is the result of a tool', async () => {
    const { body } = await new TaskClient().call('plain', (ctx) =>
      ctx.page(LINES, { pageBytes: 1000 }),
    )
    expect(Object.keys(body.result)).not.toContain('nextCursor')
    expect(body.result.content).toEqual([
      { type: 'text', text: expect.stringMatching(/^line 0 /) },
      { type: 'text', text: expect.stringMatching(/^\[Bytes 0 to /) },
    ])
  })

  it('accepts another page size with a cursor', async () => {
    const { text, nextCursor } = await page(LINES, { pageBytes: 1000 })
    const rest = await page('', { cursor: nextCursor, pageBytes: 1_000_000 })
    expect(text + rest.text).toBe(LINES)
  })

  it.each([
    ['github-copilot-developer', 19_480],
    ['qwen-cli-mcp-client-notes', 24_000],
    ['codex-mcp-client', 39_000],
    ['gemini-cli-mcp-client', 39_000],
    ['opencode', 50_200],
    ['claude-code', 60_000],
    ['Anthropic/ClaudeAI', 60_000],
    ['another-client', 60_000],
  ])('returns %s pages of at most %d bytes, which it passes on as a whole', async (name, most) => {
    const { app } = new TaskClient()
    const text = '語'.repeat(25_000)
    const pages: string[] = []
    let cursor: string | undefined
    do {
      const args = keepHandler(async (ctx) => {
        const next = await ctx.page(text, { cursor })
        cursor = next.nextCursor
        return next
      })
      const meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '1.0.0' } }
      const { body } = await app.modern('tools/call', { name: 'plain', arguments: args }, { meta })
      pages.push(body.result.content[0].text)
    } while (cursor !== undefined)
    expect(pages.join('')).toBe(text)
    expect(new TextEncoder().encode(pages[0]).byteLength).toBe(most - (most % 3))
    expect(app.events).toEqual([])
  })

  it('refuses the cursor of another tool, an altered and an expired one', async () => {
    const { nextCursor = '' } = await page(LINES, { pageBytes: 1000 }, as('pager'))
    expect((await page('', { cursor: nextCursor }, as('pager'))).text).toContain('line')
    const altered = nextCursor.slice(0, -3) + (nextCursor.endsWith('AAA') ? 'BBB' : 'AAA')
    for (const [cursor, client] of [
      [altered, as('pager')],
      ['', as('pager')],
      [7, as('pager')],
      ['x'.repeat(10_000), as('pager')],
    ] as const) {
      const error = await refusalOf(cursor, client)
      expect(error).toBeInstanceOf(ToolError)
      expect(error).toMatchObject({
        reason: 'unknown-cursor',
        message: expect.stringContaining('again without cursor'),
      })
    }
    const client = as('pager')
    const taskId = await client.start(async (ctx) =>
      ctx.page('', { cursor: nextCursor }).then(
        () => 'a page for another tool',
        ({ reason }) => reason,
      ),
    )
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('unknown-cursor')
    const brief = await page(LINES, { pageBytes: 1000, ttlMs: 1 })
    await expect.poll(() => refusalOf(brief.nextCursor)).toMatchObject({ reason: 'unknown-cursor' })
  })

  it('refuses a cursor whose text was deleted from the bucket', async () => {
    const before = await keysOfBucket()
    const { nextCursor } = await page(LINES, { pageBytes: 1000 })
    const added = (await keysOfBucket()).filter((key) => !before.includes(key))
    expect(added).toHaveLength(1)
    await bucket.delete(added)
    expect(await refusalOf(nextCursor)).toMatchObject({ reason: 'unknown-cursor' })
  })

  it.each([999, 0, 1000.5, Number.NaN, 2 ** 40])('refuses pageBytes %d', async (pageBytes) => {
    const error = await run((ctx) => ctx.page('', { pageBytes }).catch((e: unknown) => e))
    expect(error).toBeInstanceOf(TypeError)
  })
})

describe('the end of a page', () => {
  const lengthOf = (text: string, pageBytes: number) =>
    pageLength(new TextEncoder().encode(text), pageBytes)

  it.each([
    ['before a character that does not fit', 'aaé', 3, 2],
    ['before an emoji of four bytes', 'aa😀', 5, 2],
    ['before a letter with its combining mark', 'aae\u0301b', 4, 2],
    ['before a family of emoji', `aa👩‍👩‍👧`, 12, 2],
    ['before a flag', 'aa🇩🇪', 7, 2],
    ['between CR LF and the next line', 'aa\r\nb', 4, 4],
    ['before CR LF that does not fit', 'aaa\r\nb', 4, 3],
    ['after the last line of the second half', 'aaaa\nb\ncc', 8, 7],
    ['not at a line of the first half', 'a\naaaaaaa', 8, 8],
    ['at the end of the text', 'abc', 3, 3],
  ])('is %s', (_, text, pageBytes, expected) => expect(lengthOf(text, pageBytes)).toBe(expected))

  it('cuts a grapheme that is longer than a page between two characters', () => {
    const text = `e${'\u0301'.repeat(500)}`
    const length = lengthOf(text, 100)
    expect(length).toBeGreaterThan(90)
    const bytes = new TextEncoder().encode(text).subarray(0, length)
    expect(() =>
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    ).not.toThrow()
  })
})
