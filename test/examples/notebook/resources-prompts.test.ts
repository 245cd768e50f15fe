/** Tests the notebook's resources, completions and prompts through the Worker. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, clear, open, signInAnew } from './client.ts'

afterEach(async () => {
  vi.useRealTimers()
  await clear()
})

const titles = async (...names: string[]) =>
  call(await open(), 'import_notes', {
    notes: names.map((title) => ({ title, body: `about ${title}` })),
  })

const write = async (note: object) => call(await open(), 'write_note', note)

describe('resources', () => {
  it('lists the view, the tags and then the notes by recency over all pages', async () => {
    const client = await open()
    const { created } = await call(client, 'import_notes', {
      markdown: Array.from({ length: 230 }, (_, n) => `# Note ${n}`).join('\n'),
    })
    const first = await client.request('resources/list')
    expect(first.nextCursor).toBeTypeOf('string')
    const uris = (await client.listResources()).map(({ uri }) => uri)
    expect(uris).toEqual([
      'ui://views/search',
      'ui://views/note',
      'note://tags',
      ...created.reverse().map((id: string) => `note://notebook/${id}`),
    ])
  })

  it.each([
    ['search_notes', 'ui://views/search'],
    ['read_note', 'ui://views/note'],
  ])('shows the result of %s in a view, which is a resource', async (name, uri) => {
    const client = await open()
    const { tools } = await client.request('tools/list')
    expect(tools).toContainEqual(
      expect.objectContaining({
        name,
        _meta: expect.objectContaining({ ui: { resourceUri: uri } }),
      }),
    )
    const { contents } = await client.readResource(uri)
    expect(contents[0]).toMatchObject({
      mimeType: 'text/html;profile=mcp-app',
      text: expect.stringMatching(/^<!doctype html>/),
      _meta: { ui: { prefersBorder: true } },
    })
  })

  it('reads a note in any script by its URI with a private cache scope', async () => {
    await write({ title: '東京 の夏', body: '暑い' })
    const client = await open()
    const [, , , resource] = await client.listResources()
    const uri = resource?.uri ?? ''
    expect(uri).toBe('note://notebook/%E6%9D%B1%E4%BA%AC-%E3%81%AE%E5%A4%8F')
    const result = await client.readResource(uri)
    expect(result).toMatchObject({
      cacheScope: 'private',
      contents: [{ uri, mimeType: 'text/markdown', text: '# 東京 の夏\n\n暑い\n' }],
    })
  })

  it.each([
    'note://notebook/absent',
    'note://notebook/',
    'note://notebook/a/b',
    'note://notebook/%00',
  ])('rejects the unknown URI %s', async (uri) => {
    const reading = (await open()).readResource(uri)
    await expect(reading).rejects.toMatchObject({ code: -32602, data: { uri } })
  })

  it('returns the number of notes per tag in use', async () => {
    await write({ title: 'A', body: '', tags: ['x', 'y'] })
    await write({ title: 'B', body: '', tags: ['y'] })
    const { text } = await (await open()).readResource('note://tags')
    expect(JSON.parse(text)).toEqual({ y: 2, x: 1 })
  })

  it('completes an id from the beginning of the id or the title', async () => {
    await titles('Lisbon hotels', 'Lisbon food', 'Porto', '100% list')
    const client = await open()
    const complete = async (value: string) =>
      (await client.complete({ template: 'note://notebook/{id}' }, 'id', value)).values
    expect(await complete('LISBON ')).toEqual(['lisbon-food', 'lisbon-hotels'])
    expect(await complete('lisbon-h')).toEqual(['lisbon-hotels'])
    expect(await complete('%')).toEqual([])
    expect(await complete('100%')).toEqual(['100-list'])
    expect(await complete('')).toHaveLength(4)
  })
})

describe('prompts', () => {
  it('lists the prompts with their arguments', async () => {
    const prompts = await (await open()).listPrompts()
    expect(prompts).toMatchObject([
      {
        name: 'weekly_review',
        arguments: [
          {
            name: 'days',
            description: 'How many days to look back; 7 if left out',
            required: false,
          },
        ],
      },
      {
        name: 'recall',
        arguments: [
          { name: 'topic', required: true, description: 'A tag, a title, or a few words' },
        ],
      },
    ])
  })

  it('weekly_review embeds the notes that changed in the requested number of days', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 2) })
    await titles('Old')
    vi.setSystemTime(Date.UTC(2026, 10, 12))
    signInAnew()
    await titles('New', 'Newer')
    const uris = async (args: Record<string, string>) => {
      const { messages } = await (await open()).getPrompt('weekly_review', args)
      return messages.flatMap(({ content }) =>
        content.type === 'resource' ? [content.resource.uri] : [],
      )
    }
    expect(await uris({})).toEqual(['note://notebook/newer', 'note://notebook/new'])
    expect(await uris({ days: '10' })).toHaveLength(3)
    vi.setSystemTime(Date.UTC(2027, 5, 1))
    signInAnew()
    expect(await uris({})).toEqual([])
  })

  it('weekly_review links the notes that exceed the size limit', async () => {
    await write({ title: 'Long', body: 'x'.repeat(90_000) })
    await write({ title: 'Longer', body: 'y'.repeat(80_000) })
    const { messages } = await (await open()).getPrompt('weekly_review')
    expect(messages.map(({ content }) => content.type)).toEqual([
      'text',
      'resource',
      'resource_link',
      'text',
    ])
  })

  it.each(['0', '366', '-1', '1.5', 'seven', '7 '])(
    'weekly_review rejects %j as a number of days',
    async (days) => {
      const getting = (await open()).getPrompt('weekly_review', { days })
      await expect(getting).rejects.toMatchObject({ code: -32602 })
    },
  )

  it('weekly_review completes the number of days from the usual spans', async () => {
    const { values } = await (await open()).complete({ prompt: 'weekly_review' }, 'days', '1')
    expect(values).toEqual(['14'])
  })

  it('recall embeds the notes on a topic, the best match first', async () => {
    await titles('Lisbon', 'Porto')
    await write({ title: 'Hotels', body: 'One in Lisbon', tags: ['travel'] })
    const client = await open()
    const { messages } = await client.getPrompt('recall', { topic: 'lisbon' })
    const embedded = messages.slice(1, -1).map(({ content }) => content)
    expect(
      embedded.map((content) => content.type === 'resource' && content.resource),
    ).toMatchObject([
      { uri: 'note://notebook/lisbon', text: '# Lisbon\n\nabout Lisbon\n' },
      { uri: 'note://notebook/hotels' },
    ])
    const none = await client.getPrompt('recall', { topic: '***' })
    expect(none.text).toMatch(/^My notebook says nothing about "\*\*\*"/)
  })

  it('recall completes a topic with tags and then titles', async () => {
    await titles('Travel plans', 'Soup')
    await write({ title: 'Lisbon', body: '', tags: ['travel', 'trains'] })
    const { values } = await (await open()).complete({ prompt: 'recall' }, 'topic', 'Tra')
    expect(values).toEqual(['trains', 'travel', 'Travel plans'])
  })
})
