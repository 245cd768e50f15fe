/** Tests the bin: deleting, restoring, and expiry by alarm with a fake clock. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { faultOf, openNotebook, resultOf, writeNotes } from './notebook.ts'

const NOON = Date.UTC(2026, 10, 2, 12)
const DAY_MS = 86_400_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

const binned = async (notebook: ReturnType<typeof openNotebook>) => {
  const { notes } = await notebook.listBin({ limit: 10, offset: 0 })
  return notes.map(({ id }) => id)
}
const alarmOf = (notebook: ReturnType<typeof openNotebook>) =>
  runInDurableObject(notebook, (_, { storage }) => storage.getAlarm())

describe('Bin', () => {
  it('keeps a deleted note with its text and tags for 30 days', async () => {
    const notebook = openNotebook()
    resultOf(await notebook.write({ title: 'Soup', body: 'salt', tags: ['food'] }))
    expect(resultOf(await notebook.delete('soup'))).toMatchObject({
      id: 'soup',
      expiresAt: NOON + 30 * DAY_MS,
    })
    expect(faultOf(await notebook.read('soup')).code).toBe('not-found')
    vi.setSystemTime(NOON + 29 * DAY_MS)
    await evictDurableObject(notebook)
    expect(resultOf(await notebook.restore('soup'))).toMatchObject({ id: 'soup', revision: 2 })
    expect(resultOf(await notebook.read('soup'))).toMatchObject({ body: 'salt', tags: ['food'] })
    expect(await binned(notebook)).toEqual([])
  })

  it('restores a note under a numbered id and title when a new note uses them', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Soup: 'old' })
    resultOf(await notebook.delete('soup'))
    await writeNotes(notebook, { Soup: 'new' })
    expect(resultOf(await notebook.restore('soup'))).toMatchObject({
      id: 'soup-2',
      title: 'Soup (2)',
    })
    expect(resultOf(await notebook.read('soup')).body).toBe('new')
    expect(resultOf(await notebook.read('soup-2')).body).toBe('old')
  })

  it('restores the most recently deleted of several notes with the same id', async () => {
    const notebook = openNotebook()
    for (const body of ['first', 'second']) {
      await writeNotes(notebook, { Soup: body })
      vi.setSystemTime(Date.now() + 1000)
      resultOf(await notebook.delete('soup'))
    }
    resultOf(await notebook.restore('soup'))
    expect(resultOf(await notebook.read('soup')).body).toBe('second')
  })

  it('refuses to delete a note when the given revision is not its current one', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Soup: 'salt' })
    expect(faultOf(await notebook.delete('soup', 2))).toEqual({
      code: 'changed-meanwhile',
      id: 'soup',
    })
    expect(await binned(notebook)).toEqual([])
    resultOf(await notebook.delete('soup', 1))
    expect(await binned(notebook)).toEqual(['soup'])
  })

  it('refuses to restore a note that is not in the bin', async () => {
    expect(faultOf(await openNotebook().restore('soup'))).toEqual({
      code: 'not-in-bin',
      id: 'soup',
    })
  })

  it('the alarm purges each note when it expires', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { One: '', Two: '' })
    expect(await alarmOf(notebook)).toBeNull()
    resultOf(await notebook.delete('one'))
    vi.setSystemTime(NOON + DAY_MS)
    resultOf(await notebook.delete('two'))
    expect(await alarmOf(notebook)).toBe(NOON + 30 * DAY_MS)

    vi.setSystemTime(NOON + 30 * DAY_MS)
    expect(await runDurableObjectAlarm(notebook)).toBe(true)
    expect(await binned(notebook)).toEqual(['two'])
    expect(await alarmOf(notebook)).toBe(NOON + 31 * DAY_MS)

    vi.setSystemTime(NOON + 31 * DAY_MS)
    expect(await runDurableObjectAlarm(notebook)).toBe(true)
    expect(await binned(notebook)).toEqual([])
    expect(await runDurableObjectAlarm(notebook)).toBe(false)
  })

  it('refuses to restore an expired note before the alarm has run', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Soup: '' })
    resultOf(await notebook.delete('soup'))
    vi.setSystemTime(NOON + 30 * DAY_MS)
    expect(faultOf(await notebook.restore('soup')).code).toBe('not-in-bin')
  })

  it('deletes the alarm when the last note in the bin is restored', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Soup: '' })
    resultOf(await notebook.delete('soup'))
    resultOf(await notebook.restore('soup'))
    expect(await alarmOf(notebook)).toBeNull()
  })

  it('drops the oldest note when the bin is full', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Oldest: '', Newest: '' })
    resultOf(await notebook.delete('oldest'))
    await runInDurableObject(notebook, (_, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
       INSERT INTO bin SELECT 1000 + i, 'n' || i, '', '', '[]', 0, 1, 0, 0, ? FROM n`,
        NOON + 31 * DAY_MS,
      )
    })
    vi.setSystemTime(NOON + 2 * DAY_MS)
    resultOf(await notebook.delete('newest'))
    expect((await notebook.listBin({ limit: 1, offset: 0 })).total).toBe(1000)
    expect(faultOf(await notebook.restore('oldest')).code).toBe('not-in-bin')
    resultOf(await notebook.restore('newest'))
  })
})
