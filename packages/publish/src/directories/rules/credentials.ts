/** Which arguments take a secret of a person or of a program: by the words of a name, a format, and a description. */
import type { Members } from '../../../../text/src/json/members.ts'
import { choicesOf, propertiesIn } from './schema-walk.ts'
import { wordsOf } from './verbs.ts'

/** A name that ends with one of them takes a secret. `password_length` and `api_key_id` do not. */
const SECRET =
  /(?:^| )(?:pass ?words?|passwd|pwd|pass ?phrase|pass ?code|(?:[a-z0-9]+ secrets?)|client ?secret|credentials?|otp|totp|authorization|auth(?:entication|orization)? header|(?:auth|session|login) cookies?|connection ?string|(?:mfa|otp|totp|2 ?fa|two factor|one time) (?:code|password|token)|bearer(?: token)?|personal access token)$/

/** Before `key`. Others, such as `issue_key` and `sort_key`, name an entry. */
const SECRET_KEY =
  /(?:^| )(?:api|app|application|secret|private|access|auth|authentication|signing|encryption|decryption|master|root|admin|deploy|developer|consumer|subscription|license|licence|ssh|rsa|gpg|pgp|hmac|aes) ?keys?$/

/** Any word before `token` but these, which page, count, name an entry or a currency. */
const TOKEN = /(?:^| )(?:([a-z0-9]+) token|(?:access|api|auth|bearer)[a-z]* ?tokens?)$/
const PLAIN_TOKENS = words(
  'page paging pagination next previous prev continuation continue cursor sync start end resume list result results search scroll delta change watch offset max min total stop special nft crypto base quote input output in out from to source target sell buy reward governance native design device push registration fcm apns csrf xsrf idempotency client request dedupe confirmation confirm preview download upload share invite invitation tracking lock fence fencing version state snapshot job task',
)

/** Secrets in most servers, and entries or data in some, such as those that decode tokens or keep secrets. */
const DOUBTFUL = /^(?:(?:the |my |your )?(?:token|secrets?|jwt|pat|auth))$/

/** A description that says what a name such as `key` and `auth` leaves open. */
const OPEN_NAME = /(?:^| )(?:key|token|auth|secret|pat|headers?|login|pin|code)$/
const SAYS_SECRET =
  /\b(?:api[ -]?keys?|(?:access|bearer|auth|authentication|authorization|api|session|refresh|oauth2?|bot|secret) tokens?|personal access tokens?|pass ?words?|(?:secret|private) keys?|credentials?|one[ -]time (?:code|password))\b/i
const SAYS_ENTRY = /\b(?:id|name|label|prefix|number|fingerprint|hash) of\b/i
const SAYS_PAGE = /\b(?:pages?|paging|pagination|cursor|next|continu\w+)\b/i

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

export interface Credentials {
  /** Paths of arguments, such as `auth.api_key`. */
  readonly certain: readonly string[]
  /** Those whose name means something else in some servers. */
  readonly doubtful: readonly string[]
}

/** @param about the name and the description of the tool */
export function credentialsIn(inputSchema: Members, about: string): Credentials {
  const certain = new Set<string>()
  const doubtful = new Set<string>()
  const all = [...propertiesIn(inputSchema)]
  // The token of a tool that pages continues a list.
  const pages = SAYS_PAGE.test([about, ...all.map(({ name }) => wordsOf(name).join(' '))].join(' '))
  for (const { path, name, schema } of all) {
    if (!takesText(schema)) continue
    const plain = wordsOf(name).join(' ')
    if (isSecret(plain, schema)) certain.add(path)
    else if (DOUBTFUL.test(plain) && !pages && !SAYS_PAGE.test(descriptionOf(schema))) {
      doubtful.add(path)
    }
  }
  return { certain: [...certain], doubtful: [...doubtful] }
}

function isSecret(name: string, schema: Members): boolean {
  if (schema.format === 'password') return true
  if (SECRET.test(name) || SECRET_KEY.test(name)) return true
  const token = TOKEN.exec(name)
  if (token !== null) return !PLAIN_TOKENS.has(token[1] ?? '')
  const description = descriptionOf(schema)
  if (!OPEN_NAME.test(name) || !SAYS_SECRET.test(description)) return false
  return !SAYS_ENTRY.test(description) && !SAYS_PAGE.test(description)
}

const descriptionOf = ({ description }: Members) =>
  typeof description === 'string' ? description.slice(0, 2000) : ''

/** Whether a value of any text fits: no flag, number or choice. */
export function takesText(schema: Members): boolean {
  if (choicesOf(schema).length > 0) return false
  const types = [schema.type].flat()
  return types.some((type) => type === undefined || TEXTS.includes(String(type)))
}

const TEXTS: readonly string[] = ['string', 'object', 'array']
