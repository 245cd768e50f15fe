/** Tests that listeners are notified of every change made on another connection. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { call, clear, listen, round } from './endpoint.ts'

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

/** Reads the next changes and sorts them, because they are published concurrently. */
async function nextChanges(count: number): Promise<string[]> {
  const changes: string[] = []
  while (changes.length < count) {
    const { method, params } = await listener.next()
    changes.push(method === LIST ? 'list' : params.uri)
  }
  return changes.sort()
}

beforeEach(async () => {
  await call('write_note', { title: 'Soup', body: 'salt', tags: ['food'] })
  listener = await open()
})

afterEach(async () => {
  await listener.close()
  await clear()
})

describe('notifyListeners', () => {
  const all = ['list', uriOf('soup'), TAGS].sort()

  it.each([
    ['write_note', { id: 'soup', title: 'Soup', body: 'pepper' }, all],
    ['append_to_note', { id: 'soup', text: 'pepper' }, ['list', uriOf('soup')].sort()],
    ['tag_note', { id: 'soup', add: ['winter'] }, all],
    ['delete_note', { id: 'soup' }, all],
    ['import_notes', { notes: [{ title: 'Soup', body: 'x' }], duplicates: 'replace' }, all],
    ['import_notes', { notes: [{ title: 'Bread', body: 'x' }] }, ['list', TAGS].sort()],
    ['write_note', { title: 'Bread', body: 'flour' }, ['list', TAGS].sort()],
  ])('notifies listeners of a change by %s with %j', async (name, args, expected) => {
    await call(name, args)
    expect(await nextChanges(expected.length)).toEqual(expected)
  })

  it('notifies listeners of a change by restore_note', async () => {
    await call('delete_note', { id: 'soup' })
    await nextChanges(3)
    await call('restore_note', { id: 'soup' })
    expect(await nextChanges(3)).toEqual(all)
  })

  it('notifies listeners of a deletion after the confirmation and not at the question', async () => {
    const { requestState } = await round('delete_note', { id: 'soup' })
    const content = { remove: true }
    await round(
      'delete_note',
      { id: 'soup' },
      { requestState, inputResponses: { confirm: { action: 'accept', content } } },
    )
    expect(await nextChanges(3)).toEqual(all)
  })
})

it('a call that changes nothing sends no notification', async () => {
  await call('write_note', { id: 'soup', title: 'Soup', body: 'salt', tags: ['food'] })
  await call('import_notes', { notes: [{ title: 'Soup', body: 'x' }], duplicates: 'skip' })
  await call('append_to_note', { id: 'soup', text: 'the first change' })
  expect(await nextChanges(2)).toEqual(['list', uriOf('soup')].sort())
})
