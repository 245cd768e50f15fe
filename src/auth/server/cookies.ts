/** The cookies of the pages: for this host alone, out of reach of scripts, and not sent by other sites' forms. */

export const COOKIE = {
  /** Who has signed in. */
  login: '__Host-edgeway-login',
  /** Ties a form to the browser that it was shown in. */
  csrf: '__Host-edgeway-csrf',
  /** Ties a sign-in elsewhere to the browser that approved it; the name goes on with which one. */
  approval: '__Host-edgeway-approval',
} as const

const MAX_COOKIES_LENGTH = 16 * 1024

/** Undefined where it is missing, or there twice: then somebody else has set one of them. */
export function readCookie(request: Request, name: string): string | undefined {
  const header = request.headers.get('cookie') ?? ''
  if (header.length > MAX_COOKIES_LENGTH) return undefined
  const values = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}

export function setCookie(name: string, value: string, maxAgeMs: number): string {
  const seconds = Math.floor(maxAgeMs / 1000)
  // Lax: these pages are reached by following a link, and their forms are our own.
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Lax`
}

export function clearCookie(name: string): string {
  return `${name}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`
}

/** The same response with cookies set. */
export function withCookies(response: Response, ...cookies: readonly string[]): Response {
  const headers = new Headers(response.headers)
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}
