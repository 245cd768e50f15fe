/** Tests the notebook's resources, completions and prompts through the Worker. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, call, clear, send, signInAnew } from './endpoint.ts'

afterEach(async () => {
  vi.useRealTimers()
  await clear()
})

const titles = (...names: string[]) =>
  call('import_notes', { notes: names.map((title) => ({ title, body: `about ${title}` })) })

describe('resources', () => {
  it('lists the tags and then the notes by recency over all pages', async () => {
    const { created } = await call('import_notes', {
      markdown: Array.from({ length: 230 }, (_, n) => `# Note ${n}`).join('\n'),
    })
    const uris: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = await ask('resources/list', cursor === undefined ? {} : { cursor })
      uris.push(...page.resources.map(({ uri }: { uri: string }) => uri))
      cursor = page.nextCursor
      pages++
    } while (cursor !== undefined && pages < 10)
    expect(pages).toBeGreaterThan(2)
    expect(uris).toEqual([
      'note://tags',
      ...created.reverse().map((id: string) => `note://notebook/${id}`),
    ])
  })

  it('reads a note in any script by its URI with a private cache scope', async () => {
    await call('write_note', { title: '東京 の夏', body: '暑い' })
    const [, { uri }] = (await ask('resources/list')).resources
    expect(uri).toBe('note://notebook/%E6%9D%B1%E4%BA%AC-%E3%81%AE%E5%A4%8F')
    const result = await ask('resources/read', { uri })
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
    const { body } = await send('resources/read', { uri })
    expect(body.error).toMatchObject({ code: -32602, data: { uri } })
  })

  it('returns the number of notes per tag in use', async () => {
    await call('write_note', { title: 'A', body: '', tags: ['x', 'y'] })
    await call('write_note', { title: 'B', body: '', tags: ['y'] })
    const { contents } = await ask('resources/read', { uri: 'note://tags' })
    expect(JSON.parse(contents[0].text)).toEqual({ y: 2, x: 1 })
  })

  it('completes an id from the beginning of the id or the title', async () => {
    await titles('Lisbon hotels', 'Lisbon food', 'Porto', '100% list')
    const complete = async (value: string) => {
      const ref = { type: 'ref/resource', uri: 'note://notebook/{id}' }
      const { completion } = await ask('completion/complete', {
        ref,
        argument: { name: 'id', value },
      })
      return completion.values
    }
    expect(await complete('LISBON ')).toEqual(['lisbon-food', 'lisbon-hotels'])
    expect(await complete('lisbon-h')).toEqual(['lisbon-hotels'])
    expect(await complete('%')).toEqual([])
    expect(await complete('100%')).toEqual(['100-list'])
    expect(await complete('')).toHaveLength(4)
  })
})

describe('prompts', () => {
  it('lists the prompts with their arguments', async () => {
    const { prompts } = await ask('prompts/list')
    expect(prompts).toMatchObject([
      {
        name: 'weekly_review',
        arguments: [{ name: 'days', description: 'How many days to look back; 7 if left out' }],
      },
      {
        name: 'recall',
        arguments: [
          { name: 'topic', required: true, description: 'A tag, a title, or a few words' },
        ],
      },
    ])
    expect(prompts[0].arguments[0].required).not.toBe(true)
  })

  it('weekly_review embeds the notes that changed in the requested number of days', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 2) })
    await titles('Old')
    vi.setSystemTime(Date.UTC(2026, 10, 12))
    signInAnew()
    await titles('New', 'Newer')
    const uris = async (args: Record<string, string>) => {
      const { messages } = await ask('prompts/get', { name: 'weekly_review', arguments: args })
      return messages.flatMap(
        ({ content }: { content: { type: string; resource?: { uri: string } } }) =>
          content.type === 'resource' ? [content.resource?.uri] : [],
      )
    }
    expect(await uris({})).toEqual(['note://notebook/newer', 'note://notebook/new'])
    expect(await uris({ days: '10' })).toHaveLength(3)
    vi.setSystemTime(Date.UTC(2027, 5, 1))
    signInAnew()
    expect(await uris({})).toEqual([])
  })

  it('weekly_review links the notes that exceed the size limit', async () => {
    await call('write_note', { title: 'Long', body: 'x'.repeat(90_000) })
    await call('write_note', { title: 'Longer', body: 'y'.repeat(80_000) })
    const { messages } = await ask('prompts/get', { name: 'weekly_review' })
    expect(messages.map(({ content }: { content: { type: string } }) => content.type)).toEqual([
      'text',
      'resource',
      'resource_link',
      'text',
    ])
  })

  it.each(['0', '366', '-1', '1.5', 'seven', '7 '])(
    'weekly_review rejects %j as a number of days',
    async (days) => {
      const { body } = await send('prompts/get', { name: 'weekly_review', arguments: { days } })
      expect(body.error.code).toBe(-32602)
    },
  )

  it('weekly_review completes the number of days from the usual spans', async () => {
    const { completion } = await ask('completion/complete', {
      ref: { type: 'ref/prompt', name: 'weekly_review' },
      argument: { name: 'days', value: '1' },
    })
    expect(completion.values).toEqual(['14'])
  })

  it('recall embeds the notes on a topic, the best match first', async () => {
    await titles('Lisbon', 'Porto')
    await call('write_note', { title: 'Hotels', body: 'One in Lisbon', tags: ['travel'] })
    const { messages } = await ask('prompts/get', {
      name: 'recall',
      arguments: { topic: 'lisbon' },
    })
    expect(
      messages
        .slice(1, -1)
        .map(({ content }: { content: { resource: unknown } }) => content.resource),
    ).toMatchObject([
      { uri: 'note://notebook/lisbon', text: '# Lisbon\n\nabout Lisbon\n' },
      { uri: 'note://notebook/hotels' },
    ])
    const none = await ask('prompts/get', { name: 'recall', arguments: { topic: '***' } })
    expect(none.messages[0].content.text).toMatch(/^My notebook says nothing about "\*\*\*"/)
  })

  it('recall completes a topic with tags and then titles', async () => {
    await titles('Travel plans', 'Soup')
    await call('write_note', { title: 'Lisbon', body: '', tags: ['travel', 'trains'] })
    const { completion } = await ask('completion/complete', {
      ref: { type: 'ref/prompt', name: 'recall' },
      argument: { name: 'topic', value: 'Tra' },
    })
    expect(completion.values).toEqual(['trains', 'travel', 'Travel plans'])
  })
})
