/** What the commands that sign in have in common. */
import { InvalidArgumentError } from 'commander'
import { isHeaderToken } from '../../src/client/sign-in.ts'
import { openInBrowser } from '../doctor/oauth/login.ts'
import { printable } from '../doctor/text.ts'

export const LOGIN_TIMEOUT_MS = 300_000

export function parseToken(text: string): string {
  if (!isHeaderToken(text)) throw new InvalidArgumentError('No header can have its characters.')
  return text
}

export function showPage(page: URL): void {
  process.stderr.write(`Sign in at ${printable(page.href, 4000)}\n`)
  openInBrowser(page)
}
