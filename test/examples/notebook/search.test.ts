/** Tests full-text search through the stub of the notebook object: results, their order, and hostile queries. */
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createSearchExpression } from '../../../examples/notebook/object/find.ts'
import { joinSegments, segment } from '../../../examples/notebook/object/text.ts'
import { faultOf, find, openNotebook, resultOf, writeNotes } from './notebook.ts'

async function searchable() {
  const notebook = openNotebook()
  await writeNotes(notebook, {
    Lisbon: 'The hotel has a late checkout. Müller booked it.',
    Porto: 'A hotel near the river; checkout is never late.',
    Tokyo: '東京タワーへ行く。友達と会う。',
    Bangkok: 'ภาษาไทย is hard',
    Party: 'Done🎉 at last ❤️',
    Delhi: 'हिन्दी भाषा',
    Accents: 'cafe\u0301 au lait, naïve Straße',
  })
  return notebook
}

describe('search', () => {
  it.each([
    ['hotel', ['lisbon', 'porto']],
    ['"late checkout"', ['lisbon']],
    ['check', ['lisbon', 'porto']],
    ['muller', ['lisbon']],
    ['MÜLLER', ['lisbon']],
    ['café', ['accents']],
    ['NAIVE lait', ['accents']],
    ['東京', ['tokyo']],
    ['京タ', ['tokyo']],
    ['友達 東京', ['tokyo']],
    ['京東', []],
    ['ไทย', ['bangkok']],
    ['हिन्दी', ['delhi']],
    ['🎉', ['party']],
    ['❤', ['party']],
    ['lisbon', ['lisbon']],
  ])('finds %s in the notes %j', async (query, ids) => {
    const found = await find(await searchable(), query)
    expect(found.sort()).toEqual(ids)
  })

  it('ranks a match in a title before the same match in a body', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, {
      Groceries: `${'apples and pears '.repeat(20)} soup`,
      'Soup recipes': 'Water, salt',
      Cinema: 'A film',
    })
    expect(await find(notebook, 'soup')).toEqual(['soup-recipes', 'groceries'])
  })

  it('filters by all given tags and also matches words in tags', async () => {
    const notebook = openNotebook()
    resultOf(await notebook.write({ title: 'A', body: 'soup', tags: ['winter', 'food'] }))
    resultOf(await notebook.write({ title: 'B', body: 'soup', tags: ['food'] }))
    expect(await find(notebook, 'soup', ['food', 'winter'])).toEqual(['a'])
    expect(await find(notebook, 'winter')).toEqual(['a'])
  })

  it('returns notes with any of the words, and reports it, when no note has all', async () => {
    const notebook = await searchable()
    const search = async (query: string) => {
      const page = resultOf(await notebook.search({ query, tags: [], limit: 1, offset: 0 }))
      return [page.hits[0]?.id, page.total, page.matched]
    }
    expect(await search('what did I note about the river')).toEqual(['porto', 2, 'any'])
    expect(await search('river hotel')).toEqual(['porto', 1, 'all'])
    expect(await search('absent missing')).toEqual([undefined, 0, 'any'])
  })

  it('finds only the current text of a note', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Note: 'before' })
    resultOf(await notebook.write({ id: 'note', title: 'Note', body: 'after' }))
    expect(await find(notebook, 'before')).toEqual([])
    expect(await find(notebook, 'after')).toEqual(['note'])
    resultOf(await notebook.delete('note'))
    expect(await find(notebook, 'after')).toEqual([])
    resultOf(await notebook.restore('note'))
    expect(await find(notebook, 'after')).toEqual(['note'])
    await runInDurableObject(notebook, (_, { storage }) => {
      // Throws when the index and the notes differ.
      storage.sql.exec(`INSERT INTO note_index (note_index, rank) VALUES ('integrity-check', 1)`)
    })
  })

  it('returns pages in a stable order', async () => {
    const notebook = openNotebook()
    for (let n = 0; n < 7; n++) resultOf(await notebook.write({ title: `N${n}`, body: 'same' }))
    const page = async (offset: number) => {
      const { hits } = resultOf(
        await notebook.search({ query: 'same', tags: [], limit: 3, offset }),
      )
      return hits.map(({ id }) => id).join(' ')
    }
    expect(await Promise.all([page(0), page(3), page(6)])).toEqual(['n6 n5 n4', 'n3 n2 n1', 'n0'])
  })
})

describe('snippets', () => {
  it('contain the passage that matches', async () => {
    const notebook = openNotebook()
    const filler = 'lorem ipsum '.repeat(200)
    await writeNotes(notebook, { Long: `${filler}the needle is here ${filler}` })
    const { hits } = resultOf(
      await notebook.search({ query: 'needle', tags: [], limit: 1, offset: 0 }),
    )
    expect(hits[0]?.snippet).toMatch(/^….*the needle is here.*…$/)
    expect(hits[0]?.snippet.length).toBeLessThan(250)
  })

  it('belong to the note of the same hit', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { A: 'first soup', B: 'second soup', C: 'third soup' })
    const { hits } = resultOf(
      await notebook.search({ query: 'soup', tags: [], limit: 5, offset: 0 }),
    )
    expect(hits.map(({ id, snippet }) => [id, snippet])).toEqual([
      ['c', 'third soup'],
      ['b', 'second soup'],
      ['a', 'first soup'],
    ])
  })

  it('contain the beginning of the body when only the title or a tag matches', async () => {
    const notebook = openNotebook()
    resultOf(await notebook.write({ title: 'Soup', body: 'Boil water', tags: ['winter'] }))
    const { hits } = resultOf(
      await notebook.search({ query: 'winter soup', tags: [], limit: 5, offset: 0 }),
    )
    expect(hits[0]?.snippet).toBe('Boil water')
  })

  it('contain the original text without separators', async () => {
    const { hits } = resultOf(
      await (await searchable()).search({ query: 'タワー', tags: [], limit: 1, offset: 0 }),
    )
    expect(hits[0]?.snippet).toBe('東京タワーへ行く。友達と会う。')
  })
})

describe('hostile queries', () => {
  const HOSTILE = [
    '"',
    '""',
    '"unclosed hotel',
    'a"b"c',
    "' OR 1=1 --",
    'hotel" OR title:"x',
    'NEAR(hotel checkout, 2)',
    'hotel NOT late',
    'AND',
    'OR OR OR',
    'hotel*',
    '*',
    '^hotel',
    'title:hotel',
    '{title body}: hotel',
    '- hotel',
    '(hotel',
    'hotel)',
    '+hotel + late',
    'ho\u0000tel',
    '\u0000',
    '\ud800',
    'hotel;DROP TABLE notes',
    `${'x'.repeat(10_240)}`,
    `${'hotel '.repeat(2000)}`,
    `${'"'.repeat(5001)}`,
    `${'\u0301'.repeat(5000)}`,
    `${'東'.repeat(3000)}`,
    `${'🎉'.repeat(3000)}`,
  ]

  it('are answered or refused and never cause an FTS5 syntax error', async () => {
    const notebook = await searchable()
    for (const query of HOSTILE) {
      const outcome = await notebook.search({ query, tags: [], limit: 5, offset: 0 })
      const result = outcome.ok ? 'answered' : outcome.error.code
      expect([query.slice(0, 30), ['answered', 'nothing-to-search'].includes(result)]).toEqual([
        query.slice(0, 30),
        true,
      ])
    }
    expect(await find(notebook, 'hotel')).toHaveLength(2)
  })

  it.each(['', ' ', '"', '***', '!?', '^', '\u0000', '"" ""', '…'])(
    'are refused when they contain no word: %j',
    async (query) => {
      const outcome = await openNotebook().search({ query, tags: [], limit: 5, offset: 0 })
      expect(faultOf(outcome)).toEqual({ code: 'nothing-to-search' })
    },
  )

  it('match FTS5 operators as ordinary words', async () => {
    const notebook = openNotebook()
    await writeNotes(notebook, { Logic: 'use NOT and NEAR', Hotel: 'hotel late' })
    expect(await find(notebook, 'hotel NOT late')).toEqual(['hotel', 'logic'])
    expect(await find(notebook, 'near not')).toEqual(['logic'])
  })
})

describe('createSearchExpression', () => {
  it.each([
    ['late hotel', { all: '"late" AND "hotel"*', any: '"late" OR "hotel"*' }],
    ['"late checkout" x', { all: '"late checkout" AND "x"*', any: '"late checkout" OR "x"*' }],
    ['NEAR(a b)', { all: '"NEAR(a" AND "b)"*', any: '"NEAR(a" OR "b)"*' }],
    ['***', undefined],
  ])('returns the expected expression for %j', (query, expression) => {
    expect(createSearchExpression(query)).toEqual(expression)
  })

  it('uses at most 32 terms of a query', () => {
    const { all = '' } = createSearchExpression('a '.repeat(100)) ?? {}
    expect(all.split(' AND ')).toHaveLength(32)
  })
})

describe('segment and joinSegments', () => {
  it.each([
    ['plain words, 12', 'plain words, 12'],
    ['東京', '東|京'],
    ['in東京2', 'in|東|京|2'],
    ['ガギグ', 'ガ|ギ|グ'],
    ['か\u3099き', 'か\u3099|き'],
    ['ok🎉ok', 'ok|🎉|ok'],
    ['한국어 단어', '한국어 단어'],
  ])('converts %j to %j and back', (text, segments) => {
    expect(segment(text).replaceAll('\u001f', '|')).toBe(segments)
    expect(joinSegments(segment(text))).toBe(text)
  })
})
