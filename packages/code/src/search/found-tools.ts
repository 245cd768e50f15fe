/** The result of a search: tools with their schemas, as many and as complete as a client passes on to its model. */

import { targetOf } from '../../../../src/internal.ts'
import { utf8Length } from '../../../../src/platform/utf8.ts'
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../../../src/protocol/json.ts'
import type { CallToolResult, Tool } from '../../../../src/protocol/primitives.ts'
import type { Ranking } from '../ranking/rank-tools.ts'
import type { SearchNames } from './options.ts'

export interface FoundOptions {
  readonly limit: number
  /** Of the text, in UTF-8. */
  readonly maxBytes: number
  readonly names: SearchNames
  /** Whether nothing was searched for, so that the first tools were found. */
  readonly isListing: boolean
  /** How well the words of the query match. */
  readonly ranking: Omit<Ranking<unknown>, 'tools'>
}

/** A tool as a result has it. */
type FoundTool = Pick<
  Tool,
  'name' | 'title' | 'description' | 'annotations' | 'inputSchema' | 'outputSchema'
>

export const FOUND_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    tools: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, inputSchema: { type: 'object' } },
        required: ['name', 'inputSchema'],
      },
    },
    note: { type: 'string' },
  },
  required: ['tools'],
}

/** Bytes of one tool among several: about 1,500 tokens. A tool that is found alone may have all. */
const MAX_SHARE = 6_000

/** Bytes that are kept for each tool that follows, so that it is named at least. */
const LEAST_SHARE = 300

/** Bytes that are left for the sentences. */
const NOTE_BYTES = 1_500

const MAX_DESCRIPTION = 1_000
const SHORT_DESCRIPTION = 100
const MAX_CHOICES = 20

/** Names of tools that did not fit. */
const MAX_NAMED = 10

/** Words that no tool has. */
const MAX_UNKNOWN = 8

export function describeFound(
  ranked: readonly Tool[],
  { limit, maxBytes, names, isListing, ranking }: FoundOptions,
): CallToolResult {
  const wanted = ranked.slice(0, limit)
  const tools: FoundTool[] = []
  const texts: string[] = []
  const shortened: string[] = []
  let left = maxBytes - NOTE_BYTES
  for (const [index, tool] of wanted.entries()) {
    const others = wanted.length - index - 1
    const share = wanted.length === 1 ? left : Math.min(left - others * LEAST_SHARE, MAX_SHARE)
    for (const form of formsOf(tool)) {
      const text = JSON.stringify(form)
      const bytes = utf8Length(text)
      if (bytes > share) continue
      if (form.inputSchema !== tool.inputSchema) shortened.push(tool.name)
      left -= bytes
      tools.push(form)
      texts.push(text)
      break
    }
  }
  const missing = wanted.filter(({ name }) => !tools.some((each) => each.name === name))
  const note = [
    introduction(ranked.length, tools.length, { isListing, names, ranking }),
    shortened.length > 0 &&
      `The inputSchema of ${shortened.join(', ')} is shortened: ${wanted.length === 1 ? 'the whole is longer than a result may be' : `for the whole, search for the name alone with "limit": 1`}.`,
    missing.length > 0 &&
      `Did not fit: ${missing
        .slice(0, MAX_NAMED)
        .map(({ name }) => name)
        .join(', ')}. Search for one by its name.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
  return {
    content: [{ type: 'text', text: [note, ...texts].join('\n') }],
    structuredContent: { tools, note },
  }
}

function introduction(
  found: number,
  shown: number,
  { isListing, names: { call }, ranking }: Omit<FoundOptions, 'limit' | 'maxBytes'>,
): string {
  if (found === 0) {
    return 'No tool has these words. Use others: what the tool does, and with what, such as "create an invoice".'
  }
  const which = isListing
    ? `The query has no words: these are ${shown} of ${found} tools.`
    : `${shown} of ${found} tools with such words, the best first.${matchText(ranking)}`
  return `${which} Call one with ${call} { "name": "…", "arguments": { … } }.`
}

/** What a model needs for its next search. */
function matchText({ unknown, isWeak }: FoundOptions['ranking']): string {
  const words = unknown.slice(0, MAX_UNKNOWN).join(', ')
  const missing = words === '' ? '' : ` No tool has: ${words}.`
  const weak = isWeak
    ? ' The match is weak: if no tool is right, search again with other words for the action and the thing.'
    : ''
  return missing + weak
}

/** A tool as completely as possible, then with less and less. */
function* formsOf(tool: Tool): Generator<FoundTool> {
  const { name, title, description, annotations, inputSchema, outputSchema } = tool
  const text = description === undefined ? undefined : cut(description, MAX_DESCRIPTION)
  const base = {
    name,
    ...(title === undefined ? undefined : { title }),
    ...(text === undefined ? undefined : { description: text }),
    inputSchema,
    ...(annotations === undefined ? undefined : { annotations }),
  }
  if (outputSchema !== undefined) yield { ...base, outputSchema }
  yield base
  yield { ...base, inputSchema: shortSchema(inputSchema, SHORT_DESCRIPTION) }
  yield { ...base, inputSchema: shortSchema(inputSchema, 0) }
  yield {
    name,
    ...(text === undefined ? undefined : { description: cut(text, SHORT_DESCRIPTION) }),
    inputSchema: { type: 'object' },
  }
}

/** The arguments without the parts of their values. @param maxText of a description, 0 for none */
function shortSchema(root: JsonSchema, maxText: number): JsonSchema {
  const { properties, required } = root
  const own = Object.entries(isJsonObject(properties) ? properties : {})
  return {
    type: 'object',
    properties: Object.fromEntries(
      own.map(([name, property]) => [name, shortProperty(root, property, maxText)]),
    ),
    ...(required === undefined ? undefined : { required }),
  }
}

function shortProperty(
  root: JsonSchema,
  property: JsonValue | undefined,
  maxText: number,
): JsonSchema {
  const isReference = isJsonObject(property) && typeof property.$ref === 'string'
  const target = isReference ? targetOf(root, property.$ref as string) : property
  if (!isJsonObject(target)) return {}
  const { type, description, enum: choices } = target
  return {
    ...(type === undefined ? undefined : { type }),
    ...(typeof description === 'string' && maxText > 0
      ? { description: cut(description, maxText) }
      : undefined),
    ...(Array.isArray(choices) && choices.length <= MAX_CHOICES ? { enum: choices } : undefined),
  }
}

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text)
