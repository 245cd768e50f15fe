/** Throttles guesses of the secrets that people enter, by network and by known device. */
import type { Person } from '../login/login.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { guessCounts } from './guess-counts.ts'
import { knownDevice } from './known-device.ts'
import { type RefusedAttempt, refuseSignIn } from './refuse-sign-in.ts'

export type Guess = 'right' | 'wrong' | { readonly waitSeconds: number }

/**
 * Counts one guess, and returns what the person may learn about it.
 *
 * @param person whom the secret belongs to; undefined for a wrong one
 */
export async function countGuess(
  server: AuthorizationServer,
  request: Request,
  person: Person | undefined,
): Promise<Guess> {
  const { guess } = server.accounts.throttle
  const device = await knownDevice(server, request)
  // On the device of one person, the secret of another one is a wrong guess. Otherwise each device
  // of the one would have guesses of its own at the secret of the other.
  const isOwn = person !== undefined && person.subject === device?.subject
  const onDevice = device && (await guess(deviceKey(device), isOwn))
  if (isOwn && onDevice?.allowed === true) return 'right'
  const [{ key }, ...wider] = guessCounts(request)
  const { allowed, retryAfterSeconds } = await guess(key, person !== undefined, wider)
  if (allowed && person !== undefined) return 'right'
  // While the networks wait, a known device learns whether the guess is its person's secret.
  if (allowed || (onDevice?.allowed === true && !isOwn)) return 'wrong'
  return { waitSeconds: retryAfterSeconds }
}

/** The wait before the next guess in seconds; 0 for none. Counts nothing. */
export async function guessWait(server: AuthorizationServer, request: Request): Promise<number> {
  const { guess } = server.accounts.throttle
  const device = await knownDevice(server, request)
  if (device && (await guess(deviceKey(device), true)).allowed) return 0
  const [{ key }, ...wider] = guessCounts(request)
  return (await guess(key, true, wider)).retryAfterSeconds
}

/** Refuses an attempt during a wait: 429 with `Retry-After` (RFC 6585 §4). */
export function refuseDuringWait(
  server: AuthorizationServer,
  reason: 'passphrase-throttled' | 'api-key-throttled',
  waitSeconds: number,
): RefusedAttempt {
  const minutes = Math.ceil(waitSeconds / 60)
  const problem = `Too many attempts. Please wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return { ...refuseSignIn(server, reason, problem, 429), retryAfterSeconds: waitSeconds }
}

function deviceKey({ id }: { readonly id: string }): string {
  return `passphrase device ${id}`
}
