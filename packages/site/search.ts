/** How the site searches: the options of its index (MiniSearch), shared with the test that asks it. */
import type { Options, SearchOptions } from 'minisearch'

/**
 * Leaves out the words that questions have and pages do not differ by, and joins the forms of a word: `clients` and
 * `client`, `deploying` and `deploy`. VitePress sends the text of this function to the browser, so it uses nothing
 * outside itself.
 */
export const processTerm: NonNullable<Options['processTerm']> = (term) => {
  const stopWords =
    ' a an and are as at be but by can could do does for from get has have how i if in into is it its me mean means my no not of on only or our should so some that the their them then there these they this to us use was we what when where which who why will with would you your '
  const word = term.toLowerCase()
  if (stopWords.includes(` ${word} `)) return null
  return word.length < 5 ? word.replace(/s$/, '') : word.replace(/(?:ies|ing|ed|es|s|e|y)$/, '')
}

/** Guides come first, then the pages of errors, then everything else. Sent to the browser as text, too. */
function boostDocument(id: string): number {
  if (id.includes('/guides/')) return 1.5
  if (id.includes('/reference/errors/')) return 1
  return id.includes('/reference/') ? 0.4 : 0.5
}

export const searchOptions: SearchOptions = {
  boost: { title: 6, titles: 2, text: 1 },
  prefix: (term) => term.length > 3,
  fuzzy: (term) => (term.length > 5 ? 0.15 : false),
  boostDocument,
}
