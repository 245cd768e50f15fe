/** What the commands that sign in have in common. */
import { isHeaderToken } from '../../../client/src/sign-in.ts'
import { openInBrowser } from '../../../doctor/src/doctor/oauth/login.ts'
import { printable } from '../../../text/src/terminal-text.ts'

export const LOGIN_TIMEOUT_MS = 300_000

/** @throws {Error} without the token: the library would print the value of an `InvalidArgumentError` */
export function parseToken(text: string): string {
  if (isHeaderToken(text)) return text
  throw new Error(
    'error: the token is invalid. No header can have its characters. Remove spaces and line ends',
  )
}

export function showPage(page: URL): void {
  process.stderr.write(`Sign in at ${printable(page.href, 4000)}\n`)
  openInBrowser(page)
}
