/** Whether a description names or links the API that receives the free-form arguments of its tool. */

/** Capitalised words that name no product. */
const GENERAL = new Set(
  'API APIS SQL HTTP HTTPS REST JSON XML URL URI URLS ID IDS GET POST PUT PATCH DELETE HEAD OPTIONS GRAPHQL RPC SOAP CRUD OAUTH HTML CSV UTC ISO I'.split(
    ' ',
  ),
)

/** How a sentence of a description begins. */
const SENTENCE_START = /(?:^|[.!?:;]\s+|\n\s*)$/

export function namesAnApi(description: string): boolean {
  const text = description.slice(0, 20_000)
  if (/https?:\/\/[a-z0-9]/i.test(text)) return true
  // A script without capital letters: nothing says which words are names.
  if (/\p{Lo}/u.test(text)) return true
  return [...text.matchAll(/[\p{Lu}\d][\p{L}\p{N}.+-]*/gu)].some(({ 0: word, index }) => {
    const bare = word.replace(/[.+-]+$/, '')
    if (!/\p{Lu}/u.test(bare) || GENERAL.has(bare.toUpperCase())) return false
    // The first word of a sentence is a name only by its spelling, or before "API".
    if (!SENTENCE_START.test(text.slice(Math.max(0, index - 20), index))) return true
    const isSpelled = /\p{Ll}.*\p{Lu}|\p{Lu}{2}/u.test(bare)
    return (
      isSpelled ||
      /^\s+(?:\p{L}+\s+)?(?:API|database|warehouse)\b/u.test(text.slice(index + word.length))
    )
  })
}
