/** Tests the events of the notebook: what emits them, who receives them, and what they contain. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEventReceiver, type TestClient } from '../../../packages/testing/src/index.ts'
import { call, clear, open } from './client.ts'

const TYPE = 'note.changed'

let client: TestClient
let cursor: string | null

beforeEach(async () => {
  client = await open()
  await call(client, 'write_note', { title: 'Soup', body: 'salt' })
  await client.settled()
  cursor = (await client.events.poll(TYPE)).cursor
})

afterEach(clear)

/** The events since the beginning of the test, each as its action and the id of its note. */
async function actions(options: { readonly arguments?: object } = {}): Promise<string[]> {
  await client.settled()
  const { events } = await client.events.poll(TYPE, { cursor, ...options })
  return events.map(({ data }) => `${data.action} ${data.id}`)
}

describe('note.changed', () => {
  it.each([
    ['write_note', { title: 'Bread', body: 'flour' }, ['created bread']],
    ['write_note', { id: 'soup', title: 'Soup', body: 'pepper' }, ['changed soup']],
    ['append_to_note', { id: 'soup', text: 'pepper' }, ['changed soup']],
    ['tag_note', { id: 'soup', add: ['winter'] }, ['changed soup']],
    ['delete_note', { id: 'soup' }, ['deleted soup']],
    ['write_note', { id: 'soup', title: 'Soup', body: 'salt' }, []],
  ])('is emitted by %s with %j', async (name, args, expected) => {
    await call(client, name, args)
    expect(await actions()).toEqual(expected)
  })

  it('is emitted for a restored note as for a new one', async () => {
    await call(client, 'delete_note', { id: 'soup' })
    await call(client, 'restore_note', { id: 'soup' })
    expect(await actions()).toEqual(['deleted soup', 'created soup'])
  })

  it('is emitted for each note that an import has created or replaced', async () => {
    const notes = ['Soup', 'Bread', 'Rice'].map((title) => ({ title, body: 'imported' }))
    await call(client, 'import_notes', { notes, duplicates: 'replace' })
    expect((await actions()).sort()).toEqual(['changed soup', 'created bread', 'created rice'])
  })

  it('has the title and the URI of the note, and no text', async () => {
    await call(client, 'write_note', { title: 'Bread', body: 'flour' })
    await client.settled()
    const { events } = await client.events.poll(TYPE, { cursor })
    expect(events.map(({ data }) => data)).toEqual([
      {
        id: 'bread',
        title: 'Bread',
        uri: 'note://notebook/bread',
        action: 'created',
        clientId: expect.any(String),
        isOwn: true,
      },
    ])
  })

  it('is limited to the action or the note that a subscription names', async () => {
    await call(client, 'append_to_note', { id: 'soup', text: 'pepper' })
    await call(client, 'write_note', { title: 'Bread', body: 'flour' })
    expect(await actions({ arguments: { action: 'created' } })).toEqual(['created bread'])
    expect(await actions({ arguments: { id: 'soup' } })).toEqual(['changed soup'])
  })

  it('is delivered to a callback, signed, also when the change was made by another client', async () => {
    using receiver = createEventReceiver().listen()
    await client.events.subscribe(TYPE, { callback: receiver })
    const other = await open()
    await call(other, 'append_to_note', { id: 'soup', text: 'pepper' })
    const { event, problem } = await receiver.next()
    expect(problem).toBeUndefined()
    expect(event).toMatchObject({ name: TYPE, data: { id: 'soup', action: 'changed' } })
  })

  it('reaches an open stream', async () => {
    const stream = await client.events.stream(TYPE)
    await call(client, 'append_to_note', { id: 'soup', text: 'pepper' })
    expect(await stream.next()).toMatchObject({ data: { id: 'soup', action: 'changed' } })
    stream.close()
  })
})
