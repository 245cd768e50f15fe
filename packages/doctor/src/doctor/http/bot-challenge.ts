/** The answers by which firewalls ask whether a browser is there. */
import type { HttpResponse } from './http-client.ts'
import { isHtml } from './is-html.ts'

/** Sent with a challenge alone: by Cloudflare, AWS WAF and Vercel. */
const CHALLENGE_HEADERS = ['cf-mitigated', 'x-amzn-waf-action', 'x-vercel-mitigated']

/** In the answer of a firewall with any status. */
const CHALLENGE =
  /challenge-platform|captcha-delivery\.com|px-captcha|_incapsula_resource|vercel security checkpoint|not a bot|awswafintegration|^error code: 10\d\d\b/i

/** On the page of a refusal. Pages of sites may have these words too. */
const REFUSAL_PAGE =
  /just a moment|attention required|captcha|verify you are human|enable javascript and cookies|errors\.edgesuite\.net|sucuri website firewall/i

const MAX_CHARACTERS = 65_536

export function isBotChallenge({ status, headers, text }: HttpResponse): boolean {
  if (CHALLENGE_HEADERS.some((name) => headers[name] !== undefined)) return true
  // The sign-in of a deployment at Vercel that is not public.
  if (headers['set-cookie']?.includes('_vercel_sso_nonce=') === true) return true
  const start = text.slice(0, MAX_CHARACTERS)
  if (status === 401) return false
  if (CHALLENGE.test(start) && (isHtml(start) || status === 403)) return true
  return [403, 405, 429, 503].includes(status) && isHtml(start) && REFUSAL_PAGE.test(start)
}
