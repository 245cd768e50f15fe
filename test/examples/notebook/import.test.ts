/** Tests imports through the stub of the notebook object. */
import { describe, expect, it } from 'vitest'
import { openNotebook, resultOf, writeNotes } from './notebook.ts'

const DRAFTS = [
  { title: 'Soup', body: 'imported' },
  { title: 'Bread', body: 'flour', tags: ['food'] },
]

async function imported(duplicates: 'skip' | 'replace' | 'copy') {
  const notebook = openNotebook()
  await writeNotes(notebook, { soup: 'mine' })
  const results = await notebook.import(DRAFTS, duplicates)
  const { notes } = resultOf(await notebook.list({ tags: [], limit: 10, offset: 0 }))
  const bodies: Record<string, string> = {}
  for (const { id } of notes) bodies[id] = resultOf(await notebook.read(id)).body
  return { results, bodies, notebook }
}

describe('Notebook.import', () => {
  it('skips a note whose title already exists', async () => {
    const { results, bodies } = await imported('skip')
    expect(results).toEqual([
      { effect: 'skipped', id: 'soup', title: 'Soup' },
      { effect: 'created', id: 'bread', title: 'Bread' },
    ])
    expect(bodies).toEqual({ soup: 'mine', bread: 'flour' })
  })

  it('replaces the existing note that has the same title', async () => {
    const { results, bodies, notebook } = await imported('replace')
    expect(results).toEqual([
      { effect: 'replaced', id: 'soup', title: 'Soup' },
      { effect: 'created', id: 'bread', title: 'Bread' },
    ])
    expect(bodies).toEqual({ soup: 'imported', bread: 'flour' })
    expect(await notebook.import(DRAFTS, 'replace')).toEqual([
      { effect: 'unchanged', id: 'soup', title: 'Soup' },
      { effect: 'unchanged', id: 'bread', title: 'Bread' },
    ])
  })

  it('adds a numbered copy when the title already exists', async () => {
    const { bodies, notebook } = await imported('copy')
    expect(bodies).toEqual({ soup: 'mine', 'soup-2': 'imported', bread: 'flour' })
    expect(resultOf(await notebook.read('soup-2')).title).toBe('Soup (2)')
  })

  it('imports the remaining notes after an invalid one', async () => {
    const notebook = openNotebook()
    const results = await notebook.import(
      [
        { title: '', body: '' },
        { title: 'Long', body: 'x'.repeat(262_145) },
        { title: 'Tagged', body: '', tags: ['a,b'] },
        { title: 'Good', body: '' },
      ],
      'skip',
    )
    expect(results).toEqual([
      { effect: 'refused', fault: { code: 'bad-title' } },
      { effect: 'refused', fault: { code: 'body-too-long', bytes: 262_145 } },
      { effect: 'refused', fault: { code: 'bad-tag', tag: 'a,b' } },
      { effect: 'created', id: 'good', title: 'Good' },
    ])
  })
})
