/** Validates and normalizes ids, titles and tags, and prepares text for the full-text index. */
import { LIMITS, NotebookError } from '../note.ts'

const NOT_SLUG = /[^\p{L}\p{N}\p{M}]+/gu
/** Shorter than the limit of an id, so that a number fits after the slug. */
const SLUG_CHARACTERS = 60
const ID = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}\-_.]*$/u
const TAG = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}\-_/.]*$/u

/** Characters that show nothing, such as zero-width ones. A title of them alone could not be seen in a list. */
const INVISIBLE = /[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Derives an id from a title in any script. Returns `note` when the title has no letter or digit. */
export function slugOf(title: string): string {
  const words = title.normalize('NFKC').toLowerCase().replace(NOT_SLUG, '-').replace(/^-/, '')
  const slug = cutText(words, SLUG_CHARACTERS).replace(/-$/, '')
  return ID.test(slug) ? slug : 'note'
}

/** @throws {NotebookError} bad-id */
export function checkId(id: string): string {
  if (!ID.test(id) || id.length > LIMITS.idCharacters)
    throw new NotebookError({ code: 'bad-id', id })
  return id
}

/**
 * Returns the title on one line.
 *
 * @throws {NotebookError} bad-title when the title shows nothing or is too long
 */
export function checkTitle(title: string): string {
  const line = cleanText(title).replace(/\s+/gu, ' ').trim()
  if (line.replace(INVISIBLE, '') === '' || line.length > LIMITS.titleCharacters) {
    throw new NotebookError({ code: 'bad-title' })
  }
  return line
}

/**
 * Returns the key that identifies a title: titles that differ only in case or in Unicode form (NFKC)
 * have the same key.
 */
export function titleKeyOf(title: string): string {
  return title.normalize('NFKC').toLowerCase()
}

/**
 * Normalizes tags for storage: lower case, without a leading `#`, hyphens for spaces, sorted, without
 * duplicates.
 *
 * @throws {NotebookError} bad-tag, too-many-tags
 */
export function normalizeTags(tags: readonly string[]): string[] {
  const normalized = new Set(tags.map(normalizeTag))
  if (normalized.size > LIMITS.tags)
    throw new NotebookError({ code: 'too-many-tags', count: normalized.size })
  return [...normalized].sort()
}

function normalizeTag(input: string): string {
  const tag = input.normalize('NFC').trim().replace(/^#/, '').replace(/\s+/gu, '-').toLowerCase()
  if (!TAG.test(tag) || tag.length > LIMITS.tagCharacters) {
    throw new NotebookError({ code: 'bad-tag', tag: input.slice(0, LIMITS.tagCharacters) })
  }
  return tag
}

/** Returns `name`, or the first of `numbered(2)`, `numbered(3)`… that is not in use. */
export function firstFree(
  name: string,
  numbered: (count: number) => string,
  isUsed: (name: string) => boolean,
): string {
  let free = name
  for (let count = 2; isUsed(free); count++) free = numbered(count)
  return free
}

/** Truncates a text without splitting a surrogate pair. */
export function cutText(text: string, characters: number): string {
  return text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')
}

// SQLite's tokenizer treats a run of letters as one token, which is correct only for scripts with spaces
// between words. In other scripts a separator is inserted between characters, so that a phrase of any
// length matches anywhere in a sentence.

/** Unit separator (U+001F): one byte, a token boundary, and removed from all input by `cleanText`. */
const SEPARATOR = '\u001f'

/** Control characters except tab, line feed and return. NUL would also truncate a search expression. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu

/** A character of a script that is written without spaces, or an emoji. Each is a separate token. */
const ALONE = String.raw`[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{Extended_Pictographic}]--\p{M}]`
// Matches after such a character and its marks if another token character follows, and before it if
// a token character precedes. The lookahead is first, so that a run of marks is scanned only once.
const BOUNDARY = new RegExp(
  String.raw`(?=[\p{L}\p{N}\p{So}])(?<=${ALONE}\p{M}*)|(?=${ALONE})(?<=[\p{L}\p{N}\p{M}\p{So}])`,
  'gv',
)

/** Removes control characters, replaces lone surrogates and normalizes line ends. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(CONTROLS, '')
}

/** Returns the segmented form of a cleaned text, which is stored and indexed. */
export function segment(text: string): string {
  return text.replace(BOUNDARY, SEPARATOR)
}

/** Returns the text of its segmented form. */
export function joinSegments(stored: string): string {
  return stored.replaceAll(SEPARATOR, '')
}
