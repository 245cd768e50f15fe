/** Who has signed in with this browser. */
import type { Person } from '../login/login.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { COOKIE, clearCookie, readCookie, setCookie } from './cookies.ts'
import { openJson, sealJson } from './sealed-json.ts'

interface SealedPerson {
  readonly person: Person
  readonly expiresAt: number
}

/** What fits into a cookie, with its seal around it. */
const MAX_PERSON_LENGTH = 2400

export async function signedIn(
  { sealer, issuer }: AuthorizationServer,
  request: Request,
): Promise<Person | undefined> {
  const cookie = readCookie(request, COOKIE.login)
  if (cookie === undefined) return undefined
  return (await openJson<SealedPerson>(sealer, 'login', cookie, issuer))?.person
}

/**
 * The cookie that signs a browser in; it lasts as long as the login, and at most as long as it may.
 * A person with much to know of (an upstream's tokens) signs in anew each time instead.
 */
export async function signInCookie(
  { sealer, issuer, limits }: AuthorizationServer,
  person: Person,
): Promise<string | undefined> {
  if (JSON.stringify(person).length > MAX_PERSON_LENGTH) return undefined
  const expiresAt = Date.now() + limits.loginTtlMs
  const value: SealedPerson = { person, expiresAt }
  const sealed = await sealJson(sealer, 'login', value, issuer)
  return setCookie(COOKIE.login, sealed, limits.loginTtlMs)
}

export function signOutCookie(): string {
  return clearCookie(COOKIE.login)
}
