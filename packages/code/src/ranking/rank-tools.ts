/**
 * Ranks tools by a question: BM25 over the words of their names, titles, descriptions, tags and arguments. What is rare
 * is computed from the tools that are passed, so a tool which the caller does not see has no influence.
 *
 * @see https://en.wikipedia.org/wiki/Okapi_BM25
 */
import { type AskedWord, MAX_QUESTION, readQuestion } from './question.ts'
import { type RankedTool, type ToolWords, toolWords } from './tool-words.ts'

/** How soon further occurrences of a word count less, and how much a long text counts less. The usual values. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** What a word counts that has only the meaning of the one in the question. */
const MEANING_SHARE = 0.8

/**
 * How much more a tool counts whose name and title consist of words of the question: the only tool that "list commits"
 * describes wholly may have a long description, which would count less than a short one with these words beside others.
 */
const HEAD_SHARE = 0.3

/** What rare words count more than frequent ones: in the words of a person, rare ones are often beside the point. */
const RARITY_POWER = 0.6

/** The least weight of a word outside the arguments of a tool. */
const LEAST_WEIGHT = 1

export interface Ranking<T> {
  /** The tools that have a word of the question, the best first. */
  readonly tools: readonly T[]
  /** The words of the question that no tool has, nor another word of their meaning. */
  readonly unknown: readonly string[]
  /** Whether name, title, description and tags of the first tool have less than half of the question. */
  readonly isWeak: boolean
}

/** The tools that have a word of the question, the best first. The tool that has the question as its name is the first. */
export function rankTools<T extends RankedTool>(tools: readonly T[], question: string): T[] {
  return [...findTools(tools, question).tools]
}

/** Ranks tools as {@link rankTools} does, and says how well they match. */
export function findTools<T extends RankedTool>(tools: readonly T[], question: string): Ranking<T> {
  // Cut first: all of a longer text would be read for the first few words.
  const text = question.slice(0, MAX_QUESTION)
  const asked = readQuestion(text)
  const scores = scoresOf(tools, asked)
  const name = text.trim().toLowerCase()
  const found = tools
    .map((tool, index) => ({
      tool,
      score: namedScore(tool.info.name.toLowerCase(), name) ?? scores[index] ?? 0,
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
  const [first] = found
  const matched = asked.filter((each) => first !== undefined && hasWord(first, each, LEAST_WEIGHT))
  return {
    tools: found,
    unknown: asked.flatMap((each) => (found.some((tool) => hasWord(tool, each)) ? [] : each.text)),
    isWeak: matched.length < asked.length / 2,
  }
}

function hasWord(tool: RankedTool, { word = '', meanings }: AskedWord, least = 0): boolean {
  const { weights } = toolWords(tool)
  return [word, ...meanings].some((form) => (weights.get(form) ?? -1) >= least)
}

/** The score of a tool that a text names, also with the prefix of a client: `mcp__server__name`, `select:name`. */
function namedScore(name: string, text: string): number | undefined {
  if (text === name) return Number.MAX_VALUE
  const prefix = text.endsWith(name) ? text.slice(0, text.length - name.length) : ''
  return /^\S*(?:__|[.:/])$/.test(prefix) ? Number.MAX_VALUE / 2 : undefined
}

function scoresOf(tools: readonly RankedTool[], asked: readonly AskedWord[]): Float64Array {
  const all = tools.map(toolWords)
  const average = all.reduce((sum, { length }) => sum + length, 0) / all.length
  const damping = all.map(
    ({ length }) => SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / average),
  )
  const scores = new Float64Array(all.length)
  const best = new Float64Array(all.length)
  const found = new Float64Array(all.length)
  for (const { word, meanings } of asked) {
    // A tool that has a word and its synonym is not twice as good.
    best.fill(0)
    for (const form of [word, ...meanings]) {
      if (form === undefined) continue
      // No list of those that have it: this is most of the time of a search.
      let count = 0
      all.forEach(({ weights }, index) => {
        const weight = weights.get(form)
        found[index] = weight ?? 0
        if (weight !== undefined) count++
      })
      if (count === 0) continue
      const share = form === word ? 1 : MEANING_SHARE
      const rarity =
        share * Math.log(1 + (all.length - count + 0.5) / (count + 0.5)) ** RARITY_POWER
      found.forEach((weight, index) => {
        if (weight === 0) return
        const score = (rarity * weight * (SATURATION + 1)) / (weight + (damping[index] ?? 1))
        best[index] = Math.max(best[index] ?? 0, score)
      })
    }
    best.forEach((score, index) => {
      scores[index] = (scores[index] ?? 0) + score
    })
  }
  const meant = new Set(asked.flatMap(({ word, meanings }) => [word, ...meanings]))
  return scores.map((score, index) => score * (1 + HEAD_SHARE * headCover(all[index], meant) ** 2))
}

/** Which part of the words of name and title the question has, 0 to 1. */
function headCover(
  { heads = [] }: Partial<ToolWords> = {},
  meant: ReadonlySet<string | undefined>,
): number {
  const shares = heads.map(
    (words) => words.filter((forms) => forms.some((form) => meant.has(form))).length / words.length,
  )
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(shares.length, 1)
}
