/** Markdown documents as notes. */
import { describe, expect, it } from 'vitest'
import { splitMarkdown, toDocument } from '../../../examples/notebook/markdown.ts'

describe('splitMarkdown', () => {
  it.each([
    ['cuts at first-level headings', '# A\none\n# B\n\ntwo\n', { A: 'one', B: 'two' }],
    ['leaves other headings in the body', '# A\n## b\n### c', { A: '## b\n### c' }],
    [
      'keeps code that looks like a heading',
      '# A\n```sh\n# B\n```\n# C',
      { A: '```sh\n# B\n```', C: '' },
    ],
    ['knows longer fences', '# A\n````\n```\n# B\n````\n# C', { A: '````\n```\n# B\n````', C: '' }],
    ['knows fences of tildes', '# A\n~~~\n```\n# B\n~~~\n# C', { A: '~~~\n```\n# B\n~~~', C: '' }],
    ['takes a fence that is never closed to the end', '# A\n```\n# B', { A: '```\n# B' }],
    ['drops the closing run of a heading', '#  A  ##\nx', { A: 'x' }],
    ['wants a space after the mark', '# A\n#tag', { A: '#tag' }],
    ['reads Windows line ends', '# A\r\n\r\none\r\n# B', { A: 'one', B: '' }],
    [
      'names what comes before the first heading',
      '- Milk\n- Eggs\n# A',
      { Milk: '- Milk\n- Eggs', A: '' },
    ],
    ['makes nothing of nothing', ' \n\n', {}],
  ])('%s', (_, document, notes) => {
    expect(splitMarkdown(document).map(({ title, body }) => [title, body])).toEqual(
      Object.entries(notes),
    )
  })

  it('reads back what toDocument writes', () => {
    const note = { title: 'Soup', body: '## Salt\n\n```\n# code\n```' }
    expect(splitMarkdown(toDocument(note))).toEqual([note])
  })
})
