/** The sign-in of a browser: a sealed cookie, which is valid until it expires or the account has ended it. */
import { randomToken } from '../../platform/random-token.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import type { Person } from '../login/login.ts'
import type { AuthorizationServer, PageServer } from './authorization-server.ts'
import { COOKIE, clearCookie, readCookie, setCookie } from './cookies.ts'
import { isRevokedSeal, openJson, type SealingServer, sealJson } from './sealed-json.ts'

/** The signed-in person without props: upstream tokens are obtained anew for every consent. */
export type SignedIn = Pick<Person, 'subject' | 'name'>

interface SealedSignIn extends SignedIn {
  readonly id: string
  /** Epoch milliseconds. */
  readonly signedInAt: number
  readonly expiresAt: number
}

/** @param maxAgeSeconds how long ago the person may have signed in; 0 accepts no sign-in. Default: any time */
export async function signedIn(
  server: PageServer,
  request: Request,
  maxAgeSeconds = Number.POSITIVE_INFINITY,
): Promise<SignedIn | undefined> {
  const signIn = await openSignIn(server, request)
  if (signIn === undefined) return undefined
  const { id, subject, name, expiresAt } = signIn
  const { signedInAt = expiresAt - server.limits.loginTtlMs } = signIn
  if (Date.now() - signedInAt >= maxAgeSeconds * 1000) return undefined
  if (await isRevokedSeal(server, signIn, server.limits.loginTtlMs)) return undefined
  const hasEnded = await server.accounts.of(subject).hasSignInEnded(id, expiresAt)
  return hasEnded ? undefined : { subject, name }
}

/**
 * The person who may consent without signing in again. Undefined with an upstream login: each grant
 * needs upstream tokens of its own, because two grants that renew the same one revoke each other. Undefined
 * with API keys too: the sign-in does not contain the key.
 */
export async function mayConsent(
  server: AuthorizationServer,
  request: Request,
  maxAgeSeconds?: number,
): Promise<SignedIn | undefined> {
  return server.login.kind === 'passphrase' ? signedIn(server, request, maxAgeSeconds) : undefined
}

/** Returns the cookie of a new sign-in. */
export async function signIn(server: PageServer, { subject, name }: SignedIn): Promise<string> {
  const { loginTtlMs } = server.limits
  const signedInAt = Date.now()
  const expiresAt = signedInAt + loginTtlMs
  const value: SealedSignIn = { id: randomToken(), subject, name, signedInAt, expiresAt }
  return setCookie(COOKIE.login, await sealJson(server, 'sign-in/1', value), loginTtlMs)
}

/** Ends the sign-in of this browser, so that copies of its cookie are invalid, and clears the cookie. */
export async function signOut(server: PageServer, request: Request): Promise<string> {
  const signIn = await openSignIn(server, request)
  if (signIn !== undefined) {
    await server.accounts.of(signIn.subject).endSignIn(signIn.id, signIn.expiresAt)
  }
  return clearCookie(COOKIE.login)
}

function openSignIn(server: PageServer, request: Request): Promise<SealedSignIn | undefined> {
  return openJson(server, 'sign-in/1', readCookie(request, COOKIE.login))
}

/**
 * The person whose browser is signed in, as a caller: with what the app that it used last may do. Undefined for a
 * browser that is not signed in, and for a person without an app at the resource. Without
 * props: their key is in the tokens of the app.
 */
export async function visitor(
  server: AuthorizationServer,
  request: Request,
  resource: string,
): Promise<AuthInfo | undefined> {
  const person = await signedIn(server, request)
  if (person === undefined) return undefined
  const { subject } = person
  const grants = await server.accounts.of(subject).listGrants()
  const [latest] = grants
    .filter((grant) => grant.resource === resource)
    .sort((one, other) => other.lastUsedAt - one.lastUsedAt)
  return (
    latest && {
      subject,
      clientId: latest.client.id,
      scopes: server.scopes.expand(latest.scopes),
      issuer: server.issuer,
      resource,
    }
  )
}

/** As long as a seal can be opened. Each sign-in begins it anew. */
const DEVICE_TTL_MS = 90 * 24 * 60 * 60 * 1000

/**
 * A browser in which a person has signed in with a passphrase before. Wrong guesses of other people do not hold up
 * that person there.
 *
 * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
export interface KnownDevice {
  readonly id: string
  /** The only person whom the cookie helps. */
  readonly subject: string
  readonly expiresAt: number
}

export function knownDevice(
  server: SealingServer,
  request: Request,
): Promise<KnownDevice | undefined> {
  return openJson(server, 'known-device/1', readCookie(request, COOKIE.device))
}

export async function deviceCookie(server: SealingServer, subject: string): Promise<string> {
  const device: KnownDevice = { id: randomToken(), subject, expiresAt: Date.now() + DEVICE_TTL_MS }
  const sealed = await sealJson(server, 'known-device/1', device)
  return setCookie(COOKIE.device, sealed, DEVICE_TTL_MS)
}
