/** The words of texts about APIs, in a form in which those of a question and those of a tool are alike. */

/** They say what kind of sentence it is, not what it is about. Single letters are what an apostrophe leaves. */
const STOP_WORDS = new Set(
  (
    'a about all also am an and any anybody anything are as at be been but by can could d did do does doesn don every ' +
    'everybody everyone for from had has have how i if in into is isn it its just let like ll m many may me more much ' +
    'my need no not now of on one only or our please re s shall should so some somebody someone something still t ' +
    'than that the their them then there these they thing this those to too us ve very want was we were what when ' +
    'where which while who whose why will with would you your'
  ).split(' '),
)

/** Longer ones are not words of people but, for example, encoded data. */
const MAX_LENGTH = 40

/** `getUserByID`, `get_user_by_id`, `URLs` and `oauth2` as the words that they consist of. */
const ASCII_WORD = /[A-Z]{2,}s(?![a-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g
const WORD = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
const NOT_ASCII = /[^\u0000-\u007f]/

/** Scripts without spaces between words. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** The words of a text in their order and with repetitions, without those that say nothing. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).flatMap((token) => wordOf(token) ?? [])
}

/** The words of a text as they are written, in lower case. */
export function tokensOf(text: string): string[] {
  const isPlain = !NOT_ASCII.test(text)
  // Without accents: people leave them out.
  const letters = isPlain ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')
  const found = letters.match(isPlain ? ASCII_WORD : WORD) ?? []
  return found.flatMap((word) =>
    !isPlain && WITHOUT_SPACES.test(word) ? pairsOf(word) : word.toLowerCase(),
  )
}

/** Pairs of neighbours, which are words often enough. */
function pairsOf(text: string): string[] {
  const characters = [...text]
  if (characters.length < 3) return [text]
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

/** Most words occur many times. */
const stems = new Map<string, string | undefined>()
const MAX_STEMS = 20_000

/**
 * A word without the ending of its form: `refunds`, `refunded` and `refunding` are one. Undefined for a stop word and for
 * a long text without a space.
 */
export function wordOf(word: string): string | undefined {
  if (word.length > MAX_LENGTH) return undefined
  if (!stems.has(word)) {
    if (stems.size >= MAX_STEMS) stems.clear()
    stems.set(word, STOP_WORDS.has(word) ? undefined : withoutEnding(word))
  }
  return stems.get(word)
}

const DERIVED = /(?:ing|ed|ion|ment|ly|er|or|al|ance|ence|able|ible)$/
const VOWEL = /[aeiouy]/

function withoutEnding(word: string): string {
  if (word.length < 3) return word
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^su])s$/, '$1')
    // British spelling.
    .replace(/is(e|ed|ing|ations?)$/, 'iz$1')
    .replace(/our/, 'or')
  // `key` and `keys` are one word.
  if (singular.length < 4) return singular
  const base = singular.replace(DERIVED, '')
  return (base.length > 2 && VOWEL.test(base) ? base : singular)
    .replace(/([^aeiouls])\1$/, '$1')
    .replace(/[ey]$/, '')
    .replace(/i$/, '')
}
