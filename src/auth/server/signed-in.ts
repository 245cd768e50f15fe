/** The sign-in of a browser: a sealed cookie. */
import type { Person } from '../login/login.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { COOKIE, clearCookie, readCookie, setCookie } from './cookies.ts'
import { openJson, sealJson } from './sealed-json.ts'

/** The signed-in person without props: upstream tokens are obtained anew for every consent. */
export type SignedIn = Pick<Person, 'subject' | 'name'>

interface SealedPerson extends SignedIn {
  readonly expiresAt: number
}

export async function signedIn(
  { sealer, issuer }: AuthorizationServer,
  request: Request,
): Promise<SignedIn | undefined> {
  const cookie = readCookie(request, COOKIE.login)
  if (cookie === undefined) return undefined
  return openJson<SealedPerson>(sealer, 'login', cookie, issuer)
}

/**
 * The person who may consent without signing in again. Undefined with an upstream login: each grant
 * needs upstream tokens of its own, because two grants that renew the same one revoke each other.
 */
export async function mayConsent(
  server: AuthorizationServer,
  request: Request,
): Promise<SignedIn | undefined> {
  return server.login.kind === 'redirect' ? undefined : signedIn(server, request)
}

export async function signInCookie(
  { sealer, issuer, limits }: AuthorizationServer,
  { subject, name }: SignedIn,
): Promise<string> {
  const value: SealedPerson = { subject, name, expiresAt: Date.now() + limits.loginTtlMs }
  const sealed = await sealJson(sealer, 'login', value, issuer)
  return setCookie(COOKIE.login, sealed, limits.loginTtlMs)
}

export function signOutCookie(): string {
  return clearCookie(COOKIE.login)
}
