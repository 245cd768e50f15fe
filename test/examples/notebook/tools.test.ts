/** Tests the notebook's tools through the Worker. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient, ToolResult } from '../../../packages/testing/src/index.ts'
import { call as callOf, clear, open, textsOf } from './client.ts'

let client: TestClient
beforeEach(async () => {
  client = await open()
})
afterEach(clear)

const call = (name: string, args?: object) => callOf(client, name, args)

/** Returns the error text of a tool call; fails when the tool returns no error. */
async function refusal(name: string, args?: object): Promise<string> {
  const { isError, text } = await client.callTool(name, args)
  expect(isError).toBe(true)
  return text
}

describe('tools/list', () => {
  it('lists every tool with a title, a description, both schemas and all four hints', async () => {
    const tools = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'search_notes',
      'read_note',
      'list_notes',
      'write_note',
      'append_to_note',
      'tag_note',
      'delete_note',
      'restore_note',
      'import_notes',
      'export_notes',
    ])
    for (const { title, description = '', inputSchema, outputSchema, annotations = {} } of tools) {
      expect(title).toMatch(/^[A-Z]/)
      expect(description.length).toBeGreaterThan(80)
      expect(Object.keys(annotations).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ])
      expect(outputSchema?.type).toBe('object')
      for (const property of Object.values(inputSchema.properties as object)) {
        expect(property.description).toMatch(/\w/)
      }
    }
  })

  it('marks only the reading tools as read-only', async () => {
    const tools = await client.listTools()
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint)
    expect(readOnly.map(({ name }) => name)).toEqual([
      'search_notes',
      'read_note',
      'list_notes',
      'export_notes',
    ])
  })
})

describe('write_note', () => {
  it('returns the note as structured content and as JSON text', async () => {
    const result = await client.callTool('write_note', {
      title: 'Soup',
      body: 'salt',
      tags: ['food'],
    })
    expect(result.structuredContent).toMatchObject({
      effect: 'created',
      note: {
        id: 'soup',
        uri: 'note://notebook/soup',
        title: 'Soup',
        tags: ['food'],
        revision: 1,
        characters: 4,
      },
    })
    expect(JSON.parse(result.text)).toEqual(result.structuredContent)
  })

  it('explains how to continue when the expected revision is stale', async () => {
    await call('write_note', { title: 'Soup', body: 'one' })
    await call('append_to_note', { id: 'soup', text: 'two' })
    const text = await refusal('write_note', {
      id: 'soup',
      title: 'Soup',
      body: 'three',
      expectedRevision: 1,
    })
    expect(text).toBe(
      'Note "soup" has changed: it is at revision 2 now. Read it again, and write it with expectedRevision 2 if your change still fits.',
    )
  })

  it.each([
    [{ title: 'x', body: 'x'.repeat(262_145) }, /^Invalid arguments for write_note:\nbody: /],
    [{ title: 'x', body: 'é'.repeat(200_000) }, /^The body would have 400000 bytes/],
    [{ title: ' ', body: '' }, /^The title must have between 1 and 200/],
    [{ title: '\u200b \u2060\u202e\u3164', body: '' }, /^The title must have between 1 and 200/],
    [{ title: 'x', body: '', tags: ['a b!'] }, /^"a b!" cannot be a tag/],
    [{ id: '../x', title: 'x', body: '' }, /^"..\/x" cannot be an id/],
    [{ title: 'x' }, /^Invalid arguments for write_note:\nbody: /],
  ])('returns an error for the invalid arguments of case %#', async (args, text) => {
    expect(await refusal('write_note', args)).toMatch(text)
  })
})

describe('read_note', () => {
  it('returns the unchanged text after a summary line', async () => {
    const body = '## Salt\n\n- a pinch\n'
    await call('write_note', { title: 'Soup', body, tags: ['food'] })
    const result = await client.callTool('read_note', { id: 'soup' })
    const [summary, text] = textsOf(result)
    expect(summary).toMatch(/^"Soup" \(id: soup, revision 1, tags: food, changed 20\d\d-.*Z\)$/)
    expect(text).toBe(body)
    expect(result.structuredContent).toMatchObject({ id: 'soup', revision: 1 })
    expect(result.structuredContent).not.toHaveProperty('nextStart')
  })

  it.each([
    ['one byte', `${'x'.repeat(49_999)}🎉${'y'.repeat(60_000)}`, [49_999, 49_998, 10_004]],
    ['three bytes', '語'.repeat(40_000), [16_666, 16_666, 6_668]],
    ['four bytes', '🎉'.repeat(20_000), [25_000, 15_000]],
  ])(
    'returns a long text of characters of %s in parts of at most 50,000 bytes that add up to the text',
    async (_, body, expected) => {
      await call('write_note', { title: 'Long', body })
      let text = ''
      let start: number | undefined = 0
      const lengths: number[] = []
      while (start !== undefined) {
        const result: ToolResult<{ nextStart?: number }> = await client.callTool('read_note', {
          id: 'long',
          start,
        })
        const [summary = '', part = ''] = textsOf(result)
        text += part
        lengths.push(part.length)
        expect(new TextEncoder().encode(part).byteLength).toBeLessThanOrEqual(50_000)
        start = result.structuredContent?.nextStart
        expect(summary.includes('Only a part')).toBe(start !== undefined)
      }
      expect(lengths).toEqual(expected)
      expect(text).toBe(body)
    },
  )

  it('suggests similar ids when the note does not exist', async () => {
    await call('write_note', { title: 'Lisbon hotels', body: '' })
    expect(await refusal('read_note', { id: 'lisbon-hotel' })).toBe(
      'There is no note "lisbon-hotel". Similar ids: "lisbon-hotels".',
    )
  })
})

describe('search_notes', () => {
  it('returns matching passages, and resource links that the client can read', async () => {
    await call('write_note', { title: 'Lisbon', body: 'A hotel by the river', tags: ['travel'] })
    await call('write_note', { title: 'Soup', body: 'salt' })
    const { content, text, structuredContent } = await client.callTool('search_notes', {
      query: 'hotel',
    })
    expect(structuredContent).toMatchObject({
      total: 1,
      matched: 'all',
      results: [{ id: 'lisbon', snippet: 'A hotel by the river' }],
    })
    expect(text).toMatch(
      /^1 note matches\.\n- Lisbon \(id: lisbon, \d{4}-\d\d-\d\d\) #travel\n {2}A hotel by the river$/,
    )
    expect(content[1]).toMatchObject({
      type: 'resource_link',
      uri: 'note://notebook/lisbon',
      name: 'lisbon',
      title: 'Lisbon',
      mimeType: 'text/markdown',
    })
    expect((await client.readResource('note://notebook/lisbon')).text).toBe(
      '# Lisbon\n\nA hotel by the river\n',
    )
  })

  it('returns the next page when called with nextOffset', async () => {
    for (const title of ['A', 'B', 'C']) await call('write_note', { title, body: 'same' })
    const first = await call('search_notes', { query: 'same', limit: 2 })
    const second = await call('search_notes', { query: 'same', limit: 2, offset: first.nextOffset })
    expect([first.total, first.nextOffset, second.nextOffset]).toEqual([3, 2, undefined])
    expect([...first.results, ...second.results].map(({ id }) => id).sort()).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  it.each([
    ['***', /^The query holds no word to search for/],
    ['', /^Invalid arguments for search_notes:\nquery: /],
    ['x'.repeat(10_240), /^Invalid arguments for search_notes:\nquery: /],
  ])('returns an error for the invalid query of case %#', async (query, text) => {
    expect(await refusal('search_notes', { query })).toMatch(text)
  })
})

describe('list_notes, tag_note, delete_note and restore_note', () => {
  it('a note can be tagged, listed, deleted and restored', async () => {
    await call('write_note', { title: 'Soup', body: 'salt' })
    await call('tag_note', { id: 'soup', add: ['Food', '#winter'] })
    expect((await call('list_notes', { tags: ['winter'] })).notes[0].tags).toEqual([
      'food',
      'winter',
    ])
    const deleted = await call('delete_note', { id: 'soup' })
    const days = (Date.parse(deleted.restorableUntil) - Date.now()) / 86_400_000
    expect([deleted.id, Math.round(days)]).toEqual(['soup', 30])
    expect(await call('list_notes')).toEqual({ total: 0, notes: [] })
    const bin = await call('list_notes', { place: 'bin' })
    expect(bin.notes).toMatchObject([{ id: 'soup', expiresAt: deleted.restorableUntil }])
    expect(await call('restore_note', { id: 'soup' })).toMatchObject({ id: 'soup', revision: 3 })
    expect(await refusal('restore_note', { id: 'soup' })).toMatch(/^The bin holds no note "soup"/)
  })
})

describe('import_notes', () => {
  it('imports a Markdown document and reports progress', async () => {
    const markdown = Array.from({ length: 45 }, (_, n) => `# Note ${n}\n\nbody ${n}`).join('\n')
    const { created, refused } = await call('import_notes', { markdown, tags: ['old'] })
    expect(client.progress).toEqual([progress(20), progress(40), progress(45)])
    expect([created.length, created[44], refused]).toEqual([45, 'note-44', []])
    expect(await call('list_notes', { tags: ['old'], limit: 1 })).toMatchObject({ total: 45 })
  })

  const progress = (done: number) => ({ progress: done, total: 45, message: `${done} notes` })

  it('reports each refused note with a reason', async () => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    const result = await call('import_notes', {
      notes: [
        { title: 'soup', body: 'other' },
        { title: 'Bad', body: '', tags: ['a,b'] },
        { title: 'Bread', body: 'flour' },
      ],
    })
    expect(result).toEqual({
      created: ['bread'],
      replaced: [],
      skipped: ['soup'],
      refused: [{ title: 'Bad', reason: expect.stringMatching(/^"a,b" cannot be a tag/) }],
    })
  })

  it('returns an error for an import of no notes or of more than 500', async () => {
    expect(await refusal('import_notes')).toMatch(/^There is nothing to import/)
    const markdown = '# x\n'.repeat(501)
    expect(await refusal('import_notes', { markdown })).toMatch(/^That is 501 notes; at most 500/)
  })
})
