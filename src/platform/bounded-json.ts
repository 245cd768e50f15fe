/**
 * Parses untrusted JSON text with bounds on its depth and on its number of values. A parsed value takes
 * far more memory than its text: two bytes (`0,`) become up to 16, and two brackets an object. So the
 * text is measured before it is parsed, in one pass without allocation.
 */
import { tryParseJson } from './try-parse.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

export interface JsonBounds {
  /** Maximum nesting of arrays and objects. */
  readonly depth: number
  /** Maximum number of values: literals, strings, arrays and objects. An empty array or object counts twice. */
  readonly values: number
}

/** `duplicate-key`: an object repeats a key. Parsers disagree on which of the two values counts. */
export type JsonFault = 'too-deep' | 'too-many-values' | 'not-json' | 'duplicate-key'

export type BoundedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: JsonFault }

/** The bounds are checked before the syntax: a text that exceeds them is never parsed. */
export function parseBoundedJson(text: string, bounds: JsonBounds): BoundedJson {
  const members = countMembersOfText(text, bounds)
  if (typeof members === 'string') return { ok: false, fault: members }
  const value = tryParseJson(text)
  if (value === undefined) return { ok: false, fault: 'not-json' }
  // A parsed value with fewer members shows that an object repeats a key.
  return countMembers(value) === members
    ? { ok: true, value }
    : { ok: false, fault: 'duplicate-key' }
}

/**
 * Returns the number of object members of a text, or the bound that it exceeds. The result is correct
 * for valid JSON only. The work is linear for any text.
 */
function countMembersOfText(text: string, bounds: JsonBounds): number | JsonFault {
  let depth = 0
  let members = 0
  // Every value but the root follows a comma, or is the first of its array or object.
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        values++
        if (++depth > bounds.depth) return 'too-deep'
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--
        break
      case COLON:
        members++
        break
      case COMMA:
        values++
    }
  }
  return values > bounds.values ? 'too-many-values' : members
}

function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return text.length
}

/** Counts the members of all objects in a parsed value. The depth must already be checked. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item)
    return count
  }
  // A parsed object inherits no enumerable members. `for in` allocates no list of keys.
  for (const key in value) {
    count += 1 + countMembers((value as Record<string, unknown>)[key])
  }
  return count
}

/** The bounds on JSON documents that other parties publish or register: far above every real one. */
export const DOCUMENT_BOUNDS: JsonBounds = { depth: 32, values: 10_000 }
