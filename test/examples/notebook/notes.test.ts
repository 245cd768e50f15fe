/** Tests writing, appending, tagging and listing through the stub of the notebook object. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { faultOf, openNotebook, resultOf, writeNotes } from './notebook.ts'

const NOON = Date.UTC(2026, 10, 2, 12)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('write', () => {
  it('creates a note with an id derived from its title', async () => {
    const written = resultOf(
      await openNotebook().write({
        title: '  Trip to\nLisbon! ',
        body: 'Hotel',
        tags: ['#Travel'],
      }),
    )
    expect(written).toEqual({
      effect: 'created',
      note: {
        id: 'trip-to-lisbon',
        title: 'Trip to Lisbon!',
        tags: ['travel'],
        revision: 1,
        createdAt: NOON,
        updatedAt: NOON,
        characters: 5,
      },
    })
  })

  it.each([
    ['東京の夏', '東京の夏'],
    ['Crème brûlée', 'crème-brûlée'],
    ['🎉', 'note'],
    ['--- C++ / C# ---', 'c-c'],
    ['../../etc/passwd', 'etc-passwd'],
    [`x${'𐐨'.repeat(60)}`, `x${'𐐨'.repeat(29)}`],
  ])('derives from the title %j the id %j', async (title, id) => {
    expect(resultOf(await openNotebook().write({ title, body: '' })).note.id).toBe(id)
  })

  it('numbers the id when another note already has it', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { 'Plan A': '', 'Plan: A': '', 'Plan/A': '' })
    const { notes } = resultOf(await notebook.list({ tags: [], limit: 10, offset: 0 }))
    expect(notes.map(({ id }) => id)).toEqual(['plan-a-3', 'plan-a-2', 'plan-a'])
  })

  it('stores the body unchanged in any script', async () => {
    const notebook = openNotebook()
    const body = '# 東京\n\n\tcafé cafe\u0301 👩‍👩‍👧 ภาษาไทย\n\n```\n"quoted" \\ %\n```\n'
    resultOf(await notebook.write({ title: 'Exact', body }))
    expect(resultOf(await notebook.read('exact')).body).toBe(body)
  })

  it('removes control characters and replaces lone surrogates', async () => {
    const notebook = openNotebook()
    resultOf(await notebook.write({ title: 'a\u0000b', body: 'x\u0000\u001fy\ud800\r\nz\u007f' }))
    const { title, body } = resultOf(await notebook.read('ab'))
    expect([title, body]).toEqual(['ab', 'xy\ufffd\nz'])
  })

  it('replaces a note by id and keeps its id, creation time and tags', async () => {
    const notebook = openNotebook()
    resultOf(await notebook.write({ title: 'Draft', body: 'one', tags: ['a'] }))
    vi.setSystemTime(NOON + 1000)
    const written = resultOf(await notebook.write({ id: 'draft', title: 'Final', body: 'two' }))
    expect(written.effect).toBe('replaced')
    expect(written.note).toMatchObject({
      id: 'draft',
      title: 'Final',
      tags: ['a'],
      revision: 2,
      createdAt: NOON,
      updatedAt: NOON + 1000,
    })
  })

  it('creates a note with the given id when the id is unused', async () => {
    const { note, effect } = resultOf(
      await openNotebook().write({ id: '2026-11-02', title: 'Monday', body: '' }),
    )
    expect([note.id, effect]).toEqual(['2026-11-02', 'created'])
  })

  it('refuses a stale overwrite and returns the current revision', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Plan: 'one' })
    resultOf(await notebook.write({ id: 'plan', title: 'Plan', body: 'two', expectedRevision: 1 }))
    const late = { id: 'plan', title: 'Plan', body: 'three', expectedRevision: 1 }
    expect(faultOf(await notebook.write(late))).toEqual({
      code: 'stale-revision',
      id: 'plan',
      revision: 2,
    })
    expect(resultOf(await notebook.read('plan')).body).toBe('two')
  })

  it('answers a repeated call with the effect unchanged', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Plan: 'one' })
    const call = { id: 'plan', title: 'Plan', body: 'two', expectedRevision: 1 }
    resultOf(await notebook.write(call))
    const again = resultOf(await notebook.write(call))
    expect([again.effect, again.note.revision]).toEqual(['unchanged', 2])
    const created = resultOf(await notebook.write({ title: 'Plan', body: 'two' }))
    expect([created.effect, created.note.revision]).toEqual(['unchanged', 2])
  })

  it('refuses the title of another note and ignores case in the comparison', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Plan: 'one', Other: '' })
    const fault = { code: 'title-taken', title: 'PLAN', id: 'plan' }
    expect(faultOf(await notebook.write({ title: 'PLAN', body: 'x' }))).toEqual(fault)
    expect(faultOf(await notebook.write({ id: 'other', title: 'PLAN', body: 'x' }))).toEqual(fault)
    expect(faultOf(await notebook.write({ id: 'new', title: 'PLAN', body: 'x' }))).toEqual(fault)
  })

  it('creates no note when the draft expects a revision and the note does not exist', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { 'Lisbon hotels': '' })
    const draft = { id: 'lisbon-hotel', title: 'Lisbon hotel', body: '', expectedRevision: 1 }
    expect(faultOf(await notebook.write(draft))).toEqual({
      code: 'not-found',
      id: 'lisbon-hotel',
      similar: ['lisbon-hotels'],
    })
  })

  it.each([
    ['a body above 256 KiB', { title: 'x', body: 'é'.repeat(131_073) }, 'body-too-long'],
    ['a blank title', { title: ' \u0000 ', body: '' }, 'bad-title'],
    ['a title above 200 characters', { title: 'x'.repeat(201), body: '' }, 'bad-title'],
    ['an id with a slash', { id: 'a/b', title: 'x', body: '' }, 'bad-id'],
    ['an id that starts with a dot', { id: '..', title: 'x', body: '' }, 'bad-id'],
    ['a tag with a comma', { title: 'x', body: '', tags: ['a,b'] }, 'bad-tag'],
    ['an empty tag', { title: 'x', body: '', tags: ['#'] }, 'bad-tag'],
    [
      'a 33rd tag',
      { title: 'x', body: '', tags: Array.from({ length: 33 }, (_, n) => `t${n}`) },
      'too-many-tags',
    ],
  ])('refuses a draft with %s', async (_, draft, code) => {
    const notebook = openNotebook()
    expect(faultOf(await notebook.write(draft)).code).toBe(code)
    expect(resultOf(await notebook.list({ tags: [], limit: 1, offset: 0 })).total).toBe(0)
  })

  it('accepts a body of exactly 256 KiB', async () => {
    const notebook = openNotebook()
    const body = '東'.repeat(87_381)
    resultOf(await notebook.write({ title: 'Full', body: `${body}.` }))
    expect(resultOf(await notebook.read('full')).characters).toBe(87_382)
  })

  it('refuses the 10,001st note', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { First: '' })
    await runInDurableObject(notebook, (_, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         INSERT INTO notes (id, title, title_key, body, tags, characters, revision, created_at, updated_at)
         SELECT 'n' || i, 'n' || i, 'n' || i, '', '[]', 0, 1, 0, 0 FROM n`,
      )
    })
    expect(faultOf(await notebook.write({ title: 'One more', body: '' }))).toEqual({
      code: 'notebook-full',
    })
    expect(resultOf(await notebook.write({ id: 'first', title: 'First', body: 'x' })).effect).toBe(
      'replaced',
    )
  })
})

describe('append', () => {
  it('adds a paragraph after any ending of the existing text', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Log: '' })
    for (const text of ['one', 'two\n', 'three\n\n', 'four']) {
      resultOf(await notebook.append('log', text))
    }
    const { body, revision } = resultOf(await notebook.read('log'))
    expect([body, revision]).toEqual(['one\n\ntwo\n\nthree\n\nfour', 5])
  })

  it('keeps the text of all concurrent calls', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Log: '' })
    const texts = Array.from({ length: 20 }, (_, n) => `entry ${n}`)
    await Promise.all(texts.map((text) => notebook.append('log', text)))
    const { body, revision } = resultOf(await notebook.read('log'))
    expect(body.split('\n\n').sort()).toEqual([...texts].sort())
    expect(revision).toBe(21)
  })

  it('accepts only one of two concurrent writes to the same revision', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Plan: 'one' })
    const replace = (body: string) =>
      notebook.write({ id: 'plan', title: 'Plan', body, expectedRevision: 1 })
    const outcomes = await Promise.all([replace('two'), replace('three')])
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true])
  })

  it('refuses to extend a note above 256 KiB', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Log: 'x'.repeat(262_140) })
    expect(faultOf(await notebook.append('log', 'abc'))).toEqual({
      code: 'body-too-long',
      bytes: 262_145,
    })
    resultOf(await notebook.append('log', 'ab'))
  })

  it('refuses to append to a note that does not exist', async () => {
    expect(faultOf(await openNotebook().append('log', 'x'))).toEqual({
      code: 'not-found',
      id: 'log',
      similar: [],
    })
  })
})

describe('retag and tags', () => {
  it('adds and removes tags, and keeps the revision when no tag changes', async () => {
    const notebook = openNotebook()
    resultOf(await notebook.write({ title: 'Soup', body: '', tags: ['food', 'draft'] }))
    const { tags, revision } = resultOf(
      await notebook.retag('soup', { add: ['Winter Food', '#food'], remove: ['DRAFT', 'absent'] }),
    )
    expect([tags, revision]).toEqual([['food', 'winter-food'], 2])
    const same = resultOf(await notebook.retag('soup', { add: ['food'], remove: [] }))
    expect(same.revision).toBe(2)
  })

  it('counts the notes per tag and excludes deleted notes', async () => {
    const notebook = openNotebook()
    resultOf(await notebook.write({ title: 'A', body: '', tags: ['x', 'y'] }))
    resultOf(await notebook.write({ title: 'B', body: '', tags: ['y'] }))
    resultOf(await notebook.write({ title: 'C', body: '', tags: ['z'] }))
    resultOf(await notebook.delete('c'))
    expect(await notebook.tags()).toEqual([
      { tag: 'y', notes: 2 },
      { tag: 'x', notes: 1 },
    ])
  })
})

describe('list and page', () => {
  it('lists notes by recency, filtered by all given tags, page by page', async () => {
    const notebook = openNotebook()
    for (const [title, tags] of [
      ['A', ['x']],
      ['B', ['x', 'y']],
      ['C', ['x', 'y']],
      ['D', ['y']],
    ] as const) {
      vi.setSystemTime(Date.now() + 1000)
      resultOf(await notebook.write({ title, body: '', tags }))
    }
    vi.setSystemTime(Date.now() + 1000)
    resultOf(await notebook.append('a', 'changed'))
    const list = async (tags: string[], limit: number, offset: number) => {
      const { notes, total } = resultOf(await notebook.list({ tags, limit, offset }))
      return [notes.map(({ id }) => id).join(''), total]
    }
    expect(await list([], 10, 0)).toEqual(['adcb', 4])
    expect(await list(['x', 'Y'], 10, 0)).toEqual(['cb', 2])
    expect(await list(['x'], 2, 1)).toEqual(['cb', 3])
    expect(await list(['none'], 10, 0)).toEqual(['', 0])
  })

  it('returns every note once when a caller follows the cursors', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { A: '', B: '', C: '', D: '', E: '' })
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const page = await notebook.page(cursor, 2)
      ids.push(...page.notes.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(ids).toEqual(['e', 'd', 'c', 'b', 'a'])
  })
})

it('keeps no state in memory that is lost when the object is evicted', async () => {
  const notebook = openNotebook()
  resultOf(await notebook.write({ title: 'Kept', body: 'through eviction', tags: ['t'] }))
  await evictDurableObject(notebook)
  expect(resultOf(await notebook.read('kept'))).toMatchObject({
    body: 'through eviction',
    revision: 1,
  })
  resultOf(await notebook.append('kept', 'more'))
  await evictDurableObject(notebook)
  const page = resultOf(await notebook.search({ query: 'more', tags: ['t'], limit: 5, offset: 0 }))
  expect(page.hits.map(({ id, revision }) => [id, revision])).toEqual([['kept', 2]])
})
