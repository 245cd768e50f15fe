/** The cookies of the pages: host-only, unreadable for scripts, and not sent with forms of other sites. */

export const COOKIE = {
  /** The sealed subject and name of the signed-in person. */
  login: '__Host-edgeway-login',
  /** Names a browser in which a person has signed in with a passphrase. */
  device: '__Host-edgeway-device',
  /** Binds a form to the browser that it was shown in. */
  csrf: '__Host-edgeway-csrf',
  /** Binds an upstream sign-in to the browser that began it. An id is appended to the name. */
  approval: '__Host-edgeway-approval',
} as const

const MAX_COOKIES_LENGTH = 16 * 1024

/** Undefined when the cookie is missing or repeated. Of two, one may have been set by an attacker. */
export function readCookie(request: Request, name: string): string | undefined {
  const header = request.headers.get('cookie')
  return (header?.length ?? 0) > MAX_COOKIES_LENGTH ? undefined : cookieIn(header, name)
}

/** Undefined when the cookie is missing or repeated. */
export function cookieIn(header: string | null, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}

export function setCookie(name: string, value: string, maxAgeMs: number): string {
  const seconds = Math.floor(maxAgeMs / 1000)
  // Lax, not Strict: an app's link to these pages must send the cookie.
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Lax`
}

export function clearCookie(name: string): string {
  return `${name}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`
}

/** Copies a response and adds `Set-Cookie` headers. */
export function withCookies(response: Response, ...cookies: readonly string[]): Response {
  const headers = new Headers(response.headers)
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}
