/** Finds passwords and tokens in texts that are sent to directories or committed. Texts about them are no secrets. */

/** The beginnings that issuers give their tokens, so that they are found in files. */
const TOKENS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['a token of GitHub', /\b(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/],
  ['a key of OpenAI or Anthropic', /\bsk-[A-Za-z0-9_-]{20,}/],
  ['a key of AWS', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['a key of Google', /\bAIza[\w-]{35}/],
  ['a token of Slack', /\bxox[abposr]-[A-Za-z0-9-]{10,}/],
  ['a key of Stripe', /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/],
  ['a token of GitLab', /\bglpat-[\w-]{20,}/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a JSON Web Token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*/],
  ['an access token', /\bbearer\s+[\w.~+/-]{16,}/i],
  ['a password in a URL', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i],
]

const PASSWORD = '(?:pass(?:word|phrase|code)|pwd)'
const TOKEN = '(?:pin|token|secret|api[ _-]?key|access[ _-]?key)'
const QUOTES = '["\'“‘`]'

/** `password: hunter2` */
const LABELLED_PASSWORD = new RegExp(`\\b${PASSWORD}\\s*[:=]\\s*${QUOTES}?(\\S+)`, 'gi')

/** `Token = "a1b2"`. Other texts have such words before a colon too, so that it must have a digit. */
const LABELLED_TOKEN = new RegExp(`\\b${TOKEN}\\s*[:=]\\s*${QUOTES}?(?=\\S*\\d)(\\S{4,})`, 'gi')

/** `the password is hunter2`, but not `the password is entered in the form`. */
const STATED = new RegExp(
  `\\b(?:${PASSWORD}|${TOKEN})\\s+(?:is|will be)\\s*:?\\s*(?:${QUOTES}\\S{3,}|(\\S{4,}))`,
  'gi',
)

/** `reviewer@example.com / hunter2`, `sign in with demo / demo` */
const PAIR = /(?:\S@\S+\.\S+|\b(?:sign|log) in (?:with|as) \S+)\s+[/|]\s+\S+/i

/** Words after a label that say where the secret is. */
const ELSEWHERE =
  /^(?:[<([{]|(?:see|in|at|on|by|entered|given|sent|provided|not|none|never|n\/a|available|the|you|your|ask|from|an?|no|is|generated|stored|required)\b)/i

/** A word of a sentence has letters alone. */
const IS_WORD = /^\p{L}[\p{L}’']*[.,;:!?)]?$/u

/** What the text gives away, as a sentence; undefined for a text without secrets. */
export function secretIn(text: string): string | undefined {
  const token = TOKENS.find(([, pattern]) => pattern.test(text))
  if (token !== undefined) return adviceFor(token[0])
  const labelled = [...text.matchAll(LABELLED_PASSWORD), ...text.matchAll(LABELLED_TOKEN)]
  const stated = [...text.matchAll(STATED)]
  const isGiven =
    labelled.some(([, value = '']) => !ELSEWHERE.test(value)) ||
    stated.some(([, bare]) => bare === undefined || !IS_WORD.test(bare)) ||
    PAIR.test(text)
  return isGiven ? adviceFor('a password or token') : undefined
}

function adviceFor(found: string): string {
  return `this text contains ${found}. Remove it and replace it at its issuer: it belongs in the form of the directory, where only reviewers read it`
}
