/** The name that a client gives itself, made fit to be shown beside text of ours. */

const MAX_CHARACTERS = 100

/** Longer names are cut before anything else is done to them. */
const MAX_LENGTH = 2000

/** Controls, bidirectional overrides, zero-width and filling characters, and what means nothing. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** More than two marks on one letter cover what stands above and below. */
const HEAPED_MARKS = /(\p{M}{2})\p{M}+/gu

/** One line that reads in one direction; undefined where nothing to see is left. */
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
  // Marks and spaces alone show nothing to recognise a client by.
  return /[\p{L}\p{N}\p{S}]/u.test(name) ? name : undefined
}
