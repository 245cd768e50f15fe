/** The questions by which the ranking of `search()` is measured. They were written, and committed, before it. */
import { describe, expect, it } from 'vitest'
import { prepareOpenAPI } from '../../../openapi/src/index.ts'
import { DESCRIPTIONS, questionedDescription } from './questions/descriptions.ts'

const LITTLE_WORDS = new Set(
  'a all an and as at be by do for from in is it its my of on or the to up with without'.split(' '),
)

const SUFFIX = /(?:ations?|ings?|ments?|ies|ed|es|s|e|y)$/

const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '' && !LITTLE_WORDS.has(word))

/** Whether two words have one stem, or one is the beginning of the other. */
function areForms(a: string, b: string): boolean {
  const isStart = Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a))
  return isStart || a.replace(SUFFIX, '') === b.replace(SUFFIX, '')
}

describe.each(DESCRIPTIONS)('the 60 questions about %s', (name) => {
  const { document, questions } = questionedDescription(name)
  const operations = new Set(
    prepareOpenAPI(document, { onUnsupported: 'skip' }).operations.map((each) => each.name),
  )

  it('ask for operations of the description, each question once', () => {
    expect(operations.size).toBeGreaterThan(440)
    expect(new Set(questions.map(({ question }) => question)).size).toBe(60)
    const wanted = questions.flatMap(({ tools }) => tools)
    expect(wanted.filter((tool) => !operations.has(tool))).toEqual([])
    expect(new Set(wanted).size).toBe(wanted.length)
  })

  it('have no word of the names of their tools, in any form', () => {
    const shared = questions.flatMap(({ question, tools }) => {
      const named = tools.flatMap(wordsOf)
      return wordsOf(question)
        .filter((word) => named.some((other) => areForms(word, other)))
        .map((word) => `${word} in: ${question}`)
    })
    expect(shared).toEqual([])
  })

  it('recognises the forms of a word', () => {
    expect(areForms('refunds', 'refunded')).toBe(true)
    expect(areForms('card', 'cardholder')).toBe(true)
    expect(areForms('buyer', 'customer')).toBe(false)
  })
})
