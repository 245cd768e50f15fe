/** The pages by which firewalls ask whether a browser is there. */
import { isHtml } from '../text.ts'
import type { HttpResponse } from './http-client.ts'

const CHALLENGE_PAGE =
  /just a moment|attention required|challenge-platform|captcha|verify you are human|enable javascript and cookies/i

export function isBotChallenge({ status, headers, text }: HttpResponse): boolean {
  if (headers['cf-mitigated'] !== undefined) return true
  return [403, 429, 503].includes(status) && isHtml(text) && CHALLENGE_PAGE.test(text)
}
