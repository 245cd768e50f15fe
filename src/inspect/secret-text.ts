/**
 * Replaces what may be a secret in a text, such as a token, a code, a seal, a session id or the secret of a
 * signed URL: every long run of their characters that is not made of words. What is left is enough to
 * recognise it.
 */

/** The alphabet of base64url, of hexadecimal digits and of UUIDs. */
const RUN = /[A-Za-z0-9_-]{20,}/g

/** Characters that are left. */
const PREFIX_LENGTH = 6

/** The ends of words: separators, and the capital of the next word. */
const WORD_END = /[_-]+|(?<=[a-z])(?=[A-Z])/

/** A word of a name; `sha256` is one. A name has dates too. */
const WORD = /^(?:[A-Z]?[a-z]+\d{0,3}|[A-Z]{2,}|\d{1,4})$/

/** Average length of words. Random letters change their case at every second one. */
const MIN_WORD_LENGTH = 3.5

export function withoutSecrets(text: string): string {
  return text.length < 20 ? text : text.replace(RUN, hideUnlessName)
}

function hideUnlessName(run: string): string {
  const words = run.split(WORD_END).filter((word) => word !== '')
  const letters = words.reduce((sum, { length }) => sum + length, 0)
  const isName = words.every((word) => WORD.test(word)) && letters >= words.length * MIN_WORD_LENGTH
  return isName ? run : `${run.slice(0, PREFIX_LENGTH)}…`
}
