/**
 * Browsers in which a person has signed in with a passphrase before. Wrong guesses of other people do
 * not hold up that person there.
 *
 * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
import { randomToken } from '../../platform/random-token.ts'
import { COOKIE, readCookie, setCookie } from './cookies.ts'
import { openJson, type SealingServer, sealJson } from './sealed-json.ts'

/** As long as a seal can be opened. Each sign-in begins it anew. */
const DEVICE_TTL_MS = 90 * 24 * 60 * 60 * 1000

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
