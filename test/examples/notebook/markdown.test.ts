/** Tests the conversion between Markdown documents and notes. */
import { describe, expect, it } from 'vitest'
import { splitMarkdown, toDocument } from '../../../examples/notebook/note.ts'

describe('splitMarkdown', () => {
  it.each([
    ['splits a document at its level 1 headings', '# A\none\n# B\n\ntwo\n', { A: 'one', B: 'two' }],
    ['keeps headings of other levels in the body', '# A\n## b\n### c', { A: '## b\n### c' }],
    [
      'ignores a heading inside a fenced code block',
      '# A\n```sh\n# B\n```\n# C',
      { A: '```sh\n# B\n```', C: '' },
    ],
    [
      'closes a fence of four backticks only with four backticks',
      '# A\n````\n```\n# B\n````\n# C',
      { A: '````\n```\n# B\n````', C: '' },
    ],
    [
      'recognizes a fence of tildes',
      '# A\n~~~\n```\n# B\n~~~\n# C',
      { A: '~~~\n```\n# B\n~~~', C: '' },
    ],
    [
      'treats an unclosed fence as code to the end of the document',
      '# A\n```\n# B',
      { A: '```\n# B' },
    ],
    ['removes the closing run of # from a heading', '#  A  ##\nx', { A: 'x' }],
    ['requires a space after the # of a heading', '# A\n#tag', { A: '#tag' }],
    ['accepts CRLF line ends', '# A\r\n\r\none\r\n# B', { A: 'one', B: '' }],
    [
      'titles the text before the first heading by its first line',
      '- Milk\n- Eggs\n# A',
      { Milk: '- Milk\n- Eggs', A: '' },
    ],
    ['returns no notes for a blank document', ' \n\n', {}],
  ])('%s', (_, document, notes) => {
    expect(splitMarkdown(document).map(({ title, body }) => [title, body])).toEqual(
      Object.entries(notes),
    )
  })

  it('parses the document that toDocument formats', () => {
    const note = { title: 'Soup', body: '## Salt\n\n```\n# code\n```' }
    expect(splitMarkdown(toDocument(note))).toEqual([note])
  })
})
