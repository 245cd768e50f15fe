/** Sanitizes the name that a client gives itself, so that it cannot imitate text of this server. */

const MAX_CHARACTERS = 100

/** Longer text is cut before it is processed. */
const MAX_LENGTH = 2000

/** Controls, bidirectional overrides, zero-width and filler characters, and unassigned code points. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** More than two marks on one letter overlap the lines above and below. */
const HEAPED_MARKS = /(\p{M}{2})\p{M}+/gu

/** Returns one line of text in one direction, or undefined if nothing visible is left. */
export function displayName(text: string): string | undefined {
  const line = text
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(HEAPED_MARKS, '$1')
    .trim()
  const name = [...line].slice(0, MAX_CHARACTERS).join('').trim()
  // Marks and spaces alone do not identify a client.
  return /[\p{L}\p{N}\p{S}]/u.test(name) ? name : undefined
}
