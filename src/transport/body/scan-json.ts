/**
 * What a JSON text looks like before it is parsed, in one pass: how deep it nests, and how many
 * object members it writes. The second, compared with how many the parsed value has, tells whether
 * any object repeated a key; parsers disagree on which of the two counts, so neither may.
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

/** Meaningful for text that then parses; for any other it is merely bounded work. */
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

/** The members of every object in a parsed value. Its depth must have been checked. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item)
    return count
  }
  // What JSON makes has nothing to inherit, and this way no list of keys is made.
  for (const key in value) {
    count += 1 + countMembers((value as Record<string, unknown>)[key])
  }
  return count
}
