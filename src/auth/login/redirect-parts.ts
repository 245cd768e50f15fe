/** What a login at another site needs of the server: `return-parts.ts`, and what is asked before a refresh. */
import { askLogin } from '../server/grants/ask-login.ts'
import type { RedirectParts } from './login.ts'
import { renewGrantTokens } from './renew-grant-tokens.ts'
import { returnParts } from './return-parts.ts'

export const redirectParts: RedirectParts = {
  ...returnParts,
  ask: askLogin,
  renewTokens: renewGrantTokens,
}
