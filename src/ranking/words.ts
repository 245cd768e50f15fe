/** The words of texts about APIs, in a form in which those of a question and those of a tool are alike. */

/** They say what kind of sentence it is, not what it is about. Single letters are what an apostrophe leaves. */
const STOP_WORDS = new Set(
  (
    'a about all am an and any are as at be been but by can could d did do does for from had has have how i if in into is it ' +
    'its let like ll m may me my no not of on one or our please re s shall should so t than that the their them then there ' +
    'these they this those to us ve want was we were what when where which while who whose why will with would you your'
  ).split(' '),
)

/** Words of one meaning in the English of APIs: a question often has another one than the tool. */
const SYNONYMS = [
  'add create insert introduce make new open register start',
  'delete destroy drop erase remove',
  'change edit modify set update',
  'fetch get list read retrieve return see show view',
  'find look query search',
  'cancel end stop terminate',
  'buyer client customer shopper',
  'colleague member people person user',
  'email mail message notification',
  'bill invoice',
  'bug issue ticket',
  'amount fund money',
  'avatar icon image photo picture',
  'attachment document file',
  'link url',
  'clone copy duplicate',
  'access allow permission',
  'id identifier key',
  'config configuration option preference setting',
  'directory folder',
  'repo repository',
  'company org organization',
  'channel chat conversation',
  'cost price',
  'audit history log record',
  'comment note reply',
  'attach upload',
  'state status',
  'job task',
  'release version',
]

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
  const isPlain = !NOT_ASCII.test(text)
  // Without accents: people leave them out.
  const letters = isPlain ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')
  const found = letters.match(isPlain ? ASCII_WORD : WORD) ?? []
  return found.flatMap((word) => {
    if (!isPlain && WITHOUT_SPACES.test(word)) return pairsOf(word)
    return word.length > MAX_LENGTH ? [] : (stem(word.toLowerCase()) ?? [])
  })
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

/** A word without the ending of its form: `refunds`, `refunded` and `refunding` are one. Undefined for a stop word. */
function stem(word: string): string | undefined {
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
    .replace(/our$/, 'or')
  // `key` and `keys` are one word.
  if (singular.length < 4) return singular
  const base = singular.replace(DERIVED, '')
  return (base.length > 2 && VOWEL.test(base) ? base : singular)
    .replace(/([^aeiouls])\1$/, '$1')
    .replace(/[ey]$/, '')
    .replace(/i$/, '')
}

let meanings: ReadonlyMap<string, string> | undefined

/** The name of the meaning that a word of {@link wordsOf} shares with others, which no word is. Undefined for most words. */
export function meaningOf(word: string): string | undefined {
  meanings ??= new Map(
    SYNONYMS.flatMap((line) => wordsOf(line).map((each) => [each, `=${line}`] as const)),
  )
  return meanings.get(word)
}
