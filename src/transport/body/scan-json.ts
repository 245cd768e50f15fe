/**
 * Measures a JSON text in one pass before it is parsed: its depth, and the number of object members.
 * A parsed value with fewer members shows that an object repeats a key. Parsers disagree on which of
 * the two values counts, so such a body is refused.
 */
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

export interface JsonShape {
  readonly depth: number
  readonly members: number
}

/** The result is correct for valid JSON only. The work is linear for any text. */
export function scanJson(text: string): JsonShape {
  let depth = 0
  let deepest = 0
  let members = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > deepest) deepest = depth
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--
        break
      case COLON:
        members++
    }
  }
  return { depth: deepest, members }
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
export function countMembers(value: unknown): number {
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
