/** That whoever listens hears of every change, from another connection. */
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../client.ts'
import { call, clear, fetchSignedIn, listen, round } from './endpoint.ts'

const LIST = 'notifications/resources/list_changed'
const uriOf = (id: string) => `note://notebook/${id}`
const TAGS = 'note://tags'

type Listener = Awaited<ReturnType<typeof listen>>
let listener: Listener

async function open(): Promise<Listener> {
  const opened = await listen({
    resourcesListChanged: true,
    toolsListChanged: false,
    resourceSubscriptions: [uriOf('soup'), TAGS],
  })
  expect(await opened.next()).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: {
      notifications: {
        resourcesListChanged: true,
        resourceSubscriptions: [uriOf('soup'), TAGS],
      },
    },
  })
  return opened
}

/** The next messages, whatever their order: they are published at once. */
async function heard(count: number): Promise<string[]> {
  const news: string[] = []
  while (news.length < count) {
    const { method, params } = await listener.next()
    news.push(method === LIST ? 'list' : params.uri)
  }
  return news.sort()
}

beforeEach(async () => {
  await call('write_note', { title: 'Soup', body: 'salt', tags: ['food'] })
  listener = await open()
})

afterEach(async () => {
  await listener.close()
  await clear()
})

describe('a change is told to listeners', () => {
  const all = ['list', uriOf('soup'), TAGS].sort()

  it.each([
    ['write_note', { id: 'soup', title: 'Soup', body: 'pepper' }, all],
    ['append_to_note', { id: 'soup', text: 'pepper' }, ['list', uriOf('soup')].sort()],
    ['tag_note', { id: 'soup', add: ['winter'] }, all],
    ['delete_note', { id: 'soup' }, all],
    ['import_notes', { notes: [{ title: 'Soup', body: 'x' }], duplicates: 'replace' }, all],
    ['import_notes', { notes: [{ title: 'Bread', body: 'x' }] }, ['list', TAGS].sort()],
    ['write_note', { title: 'Bread', body: 'flour' }, ['list', TAGS].sort()],
  ])('by %s %j', async (name, args, news) => {
    await call(name, args)
    expect(await heard(news.length)).toEqual(news)
  })

  it('by restore_note', async () => {
    await call('delete_note', { id: 'soup' })
    await heard(3)
    await call('restore_note', { id: 'soup' })
    expect(await heard(3)).toEqual(all)
  })

  it('by a deletion once it is confirmed, and not by the question', async () => {
    const { requestState } = await round('delete_note', { id: 'soup' })
    const content = { remove: true }
    await round(
      'delete_note',
      { id: 'soup' },
      { requestState, inputResponses: { confirm: { action: 'accept', content } } },
    )
    expect(await heard(3)).toEqual(all)
  })
})

it('a call that changes nothing tells nothing', async () => {
  await call('write_note', { id: 'soup', title: 'Soup', body: 'salt', tags: ['food'] })
  await call('import_notes', { notes: [{ title: 'Soup', body: 'x' }], duplicates: 'skip' })
  await call('append_to_note', { id: 'soup', text: 'the first news' })
  expect(await heard(2)).toEqual(['list', uriOf('soup')].sort())
})

it('a notebook without a hub is kept all the same', async () => {
  const { MCP_HUB: _, ...bindings } = env
  const client = createClient((request) => fetchSignedIn(request, bindings))
  expect(await client.call('append_to_note', { id: 'soup', text: 'x' })).toMatchObject({
    revision: 2,
  })
})
