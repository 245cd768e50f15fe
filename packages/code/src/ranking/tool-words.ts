/**
 * The words by which a tool is found. They are read when the first search needs them, and kept as long as the tool.
 *
 * Measured with 60 questions for each of two APIs (`npm run search-report`): half or double of a weight changes at most
 * two of 120.
 */
import { targetOf } from '../../../../src/internal.ts'
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { Tool } from '../../../../src/protocol/primitives.ts'
import { meaningsOf } from './meanings.ts'
import { wordsOf } from './words.ts'

/** A tool as its author has registered it. */
export interface RankedTool {
  readonly info: Tool
  readonly tags?: readonly string[]
}

type Head = readonly (readonly string[])[]

export interface ToolWords {
  /** How often each word occurs, and each meaning that several words have, weighted by the place. */
  readonly weights: ReadonlyMap<string, number>
  /** The sum of all weights. */
  readonly length: number
  /** The words of the name and those of the title, each with its meanings. */
  readonly heads: readonly Head[]
}

/** How much a word says about a tool, by its place. */
const WEIGHT = { name: 3, title: 2, description: 2, tag: 1, argument: 0.8, note: 0.3, choice: 0.3 }

/** How deep arguments are read. */
const MAX_DEPTH = 4

/** Words of one tool. A schema of an API may have far more, and those of its depth say little. */
const MAX_WORDS = 4_000

const known = new WeakMap<Tool, ToolWords>()

export function toolWords(tool: RankedTool): ToolWords {
  let words = known.get(tool.info)
  if (words === undefined) {
    words = new WordReader(tool).words
    known.set(tool.info, words)
  }
  return words
}

class WordReader {
  readonly #weights = new Map<string, number>()
  readonly #root: JsonSchema
  readonly #seen = new Set<unknown>()
  readonly #heads: readonly Head[]
  #length = 0
  #left = MAX_WORDS

  constructor({ info, tags = [] }: RankedTool) {
    this.#root = info.inputSchema
    this.#heads = [info.name, info.title ?? '']
      .map((text) => [...new Set(wordsOf(text))].map((word) => [word, ...meaningsOf(word)]))
      .filter(({ length }) => length > 0)
    this.#add(info.name, WEIGHT.name)
    this.#add(info.title, WEIGHT.title)
    this.#add(info.description, WEIGHT.description)
    for (const tag of tags) this.#add(tag, WEIGHT.tag)
    this.#visit(info.inputSchema, 0)
  }

  get words(): ToolWords {
    return { weights: this.#weights, length: this.#length, heads: this.#heads }
  }

  #add(text: unknown, weight: number): void {
    if (typeof text !== 'string' || this.#left <= 0) return
    const words = wordsOf(text).slice(0, this.#left)
    this.#left -= words.length
    for (const word of words) {
      this.#count(word, weight)
      for (const meaning of meaningsOf(word)) this.#count(meaning, weight)
    }
    this.#length += words.length * weight
  }

  #count(word: string, weight: number): void {
    this.#weights.set(word, (this.#weights.get(word) ?? 0) + weight)
  }

  #visit(given: unknown, depth: number): void {
    const isReference = isJsonObject(given) && typeof given.$ref === 'string'
    const schema = isReference ? targetOf(this.#root, given.$ref as string) : given
    if (!isJsonObject(schema) || depth > MAX_DEPTH || this.#left <= 0) return
    // A schema that is used twice says nothing more, and one may contain itself.
    if (this.#seen.has(schema)) return
    this.#seen.add(schema)
    const { properties, description, enum: choices, items, anyOf, oneOf, allOf } = schema
    if (depth > 0) this.#add(description, WEIGHT.note)
    for (const choice of listOf(choices)) this.#add(choice, WEIGHT.choice)
    for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {})) {
      this.#add(name, WEIGHT.argument)
      this.#visit(property, depth + 1)
    }
    for (const part of [items, ...[anyOf, oneOf, allOf].flatMap(listOf)])
      this.#visit(part, depth + 1)
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
