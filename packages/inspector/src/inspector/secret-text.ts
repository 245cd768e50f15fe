/**
 * Replaces what may be a secret in a text, such as a token, a code, a seal, a session id or the secret of a
 * signed URL: every long run of their characters that is not made of words. What is left is enough to
 * recognise it.
 */

/** The alphabets of base64, base64url, hexadecimal digits and UUIDs, `+` and `/` also as a URL writes them. */
const RUN = /(?:[A-Za-z0-9_+/-]|%2[BbFf])+/g

/** What base64 has besides letters and digits, and a path between its segments. The group keeps them. */
const BETWEEN = /((?:[+/]|%2[BbFf])+)/

const PLUS = /\+|%2[Bb]/

/** Shorter runs are shown. */
const MIN_RUN_LENGTH = 20

/** Random characters of a run that may be a secret. */
const MIN_RANDOM_LENGTH = 16

/** The same of a run with `+`, which has it in base64 and in media types alone: a part of base64 may look like a word. */
const MIN_RANDOM_LENGTH_WITH_PLUS = 6

/** Shorter parts are shown at the start of a run: `com`, `v1`. */
const MIN_PART_LENGTH = 4

/** Characters that are left. */
const PREFIX_LENGTH = 6

/** The ends of words: separators, and the capital of the next word. */
const WORD_END = /[_-]+|(?<=[a-z])(?=[A-Z])/

/** A word of a name; `sha256` is one. A name has dates too. */
const WORD = /^(?:[A-Z]?[a-z]+\d{0,3}|[A-Z]{2,}|\d{1,4})$/

/** Average length of words. Random letters change their case at every second one. */
const MIN_WORD_LENGTH = 3.5

export function withoutSecrets(text: string): string {
  return text.length < MIN_RUN_LENGTH ? text : text.replace(RUN, hideRandom)
}

/** Keeps the names of a path. Of the rest, if there is enough to be a secret, the first characters. */
function hideRandom(run: string): string {
  if (run.length < MIN_RUN_LENGTH) return run
  const parts = run.split(BETWEEN)
  const isRandom = parts.map((part, index) => index % 2 === 0 && !isName(part))
  const random = parts.filter((_, index) => isRandom[index])
  const hasPlus = PLUS.test(run)
  const enough = hasPlus ? MIN_RANDOM_LENGTH_WITH_PLUS : MIN_RANDOM_LENGTH
  if (random.reduce((sum, { length }) => sum + length, 0) < enough) return run
  // No path has it.
  if (hasPlus) return `${run.slice(0, PREFIX_LENGTH)}…`
  const first = parts.findIndex((part, index) => isRandom[index] && part.length >= MIN_PART_LENGTH)
  return parts
    .map((part, index) => {
      if (!isRandom[index] || index < first) return part
      return index === first ? `${part.slice(0, PREFIX_LENGTH)}…` : '…'
    })
    .join('')
}

function isName(part: string): boolean {
  const words = part.split(WORD_END).filter((word) => word !== '')
  const letters = words.reduce((sum, { length }) => sum + length, 0)
  return words.every((word) => WORD.test(word)) && letters >= words.length * MIN_WORD_LENGTH
}
