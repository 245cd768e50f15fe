/** What a sign-in at another site needs of the server: the redirect, its callback, and what is asked before a refresh. */
import { handleCallback, signInUpstream } from '../server/callback.ts'
import { askLogin } from '../server/grants/ask-login.ts'
import type { RedirectParts } from './login.ts'
import { renewGrantTokens } from './renew-grant-tokens.ts'

export const redirectParts: RedirectParts = {
  ask: askLogin,
  signIn: signInUpstream,
  finish: handleCallback,
  renewTokens: renewGrantTokens,
}
