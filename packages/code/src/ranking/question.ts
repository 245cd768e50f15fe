/** Reads the words of a question, as a person or a model asks it. */
import { askedMeaningsOf } from './meanings.ts'
import { tokensOf, wordOf } from './words.ts'

export interface AskedWord {
  /** As it was asked, in lower case. */
  readonly text: string
  /** In the form in which a tool may have it. Undefined for one that only has a meaning, such as "who". */
  readonly word: string | undefined
  /** The meanings that it shares with other words. */
  readonly meanings: ReadonlySet<string>
}

/** UTF-16 code units and words of a question that are read: the time of a search depends on both. */
export const MAX_QUESTION = 1_000
const MAX_WORDS = 32

/** The second words of verbs: "call off", "take a page down", "get rid of", and "to do". They say nothing alone. */
const PARTICLES = new Set('away back do down off on out over rid up'.split(' '))

/** How many words after its verb a particle is. */
const MAX_DISTANCE = 5

/** The different words of a question. */
export function readQuestion(question: string): readonly AskedWord[] {
  const tokens = tokensOf(question.slice(0, MAX_QUESTION))
  const asked = new Map<string, AskedWord>()
  for (const [index, text] of tokens.entries()) {
    if (asked.size === MAX_WORDS) break
    if (PARTICLES.has(text)) continue
    const word = wordOf(text)
    const particle = tokens
      .slice(index + 1, index + 1 + MAX_DISTANCE)
      .find((each) => PARTICLES.has(each) && meaningsOf(text + each).size > 0)
    const meanings = meaningsOf(text + (particle ?? ''))
    if (word === undefined && meanings.size === 0) continue
    const asText = particle === undefined ? text : `${text} ${particle}`
    asked.set(word ?? text, { text: asText, word, meanings })
  }
  return [...asked.values()]
}

const meaningsOf = (text: string) => askedMeaningsOf(wordOf(text) ?? text)
