import { describe, expect, it } from 'vitest'
import { parseResults } from '../src/host/saved-results.ts'

describe('a file of saved results', () => {
  const saved = { name: 'milk', tool: 'note', arguments: {}, result: {} }

  it('is a list of results with their tools and arguments', () => {
    expect(parseResults(JSON.stringify([saved]))).toEqual([saved])
  })

  it.each([
    ['no JSON', '{', 'The file is no JSON'],
    ['no list', JSON.stringify(saved), 'must be a list of results'],
    ['an empty list', '[]', 'must be a list of results'],
    [
      'a result without a tool',
      JSON.stringify([{ ...saved, tool: 1 }]),
      'must be a list of results',
    ],
    ['null', '[null]', 'must be a list of results'],
  ])('is refused where it is %s', (_, text, sentence) => {
    expect(() => parseResults(text)).toThrow(sentence)
  })
})
