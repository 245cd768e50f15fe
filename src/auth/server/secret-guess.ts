/** Throttles guesses of the secrets that people enter, by network and by known device. */

import { clientAddress } from '../../platform/client-network.ts'
import { parseIpAddress } from '../../platform/ip-address.ts'
import { randomToken } from '../../platform/random-token.ts'
import type { WiderCount } from '../../ports/throttle.ts'
import type { Person } from '../login/login.ts'
import type { PageServer } from './authorization-server.ts'
import { type RefusedAttempt, refuseSignIn } from './refuse-sign-in.ts'
import { knownDevice } from './signed-in.ts'

export type Guess = 'right' | 'wrong' | { readonly waitSeconds: number }

/**
 * Counts one guess, and returns what the person may learn about it.
 *
 * @param person whom the secret belongs to; undefined for a wrong one
 */
export async function countGuess(
  server: PageServer,
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
  const onNetwork = await guess(key, person !== undefined, wider)
  return decide(person, isOwn, { onDevice, onNetwork })
}

/** What a verification has found. `unchecked`: the secret cannot be checked now. */
export type Verified = { readonly person: Person | undefined } | 'unchecked'

/**
 * Verifies a guess and counts it from before the verification, for one that takes time: concurrent guesses are
 * not verified beyond the limit. What the person may learn is the same as by {@link countGuess}. An unchecked
 * guess is not counted in the end.
 */
export async function verifyGuess(
  server: PageServer,
  request: Request,
  verify: () => Promise<Verified>,
): Promise<{ readonly person: Person } | Exclude<Guess, 'right'> | 'unchecked'> {
  const { guess } = server.accounts.throttle
  const begins = { id: randomToken() }
  const ends = { ...begins, ends: true }
  const device = await knownDevice(server, request)
  const [{ key }, ...wider] = guessCounts(request)
  const deviceBegun = device && (await guess(deviceKey(device), true, [], begins))
  const begun = await guess(key, true, wider, begins)
  if (deviceBegun?.allowed !== true && !begun.allowed) {
    return { waitSeconds: begun.retryAfterSeconds }
  }
  const verified = await verify()
  const person = verified === 'unchecked' ? undefined : verified.person
  const isCounted = verified !== 'unchecked'
  const isOwn = person !== undefined && person.subject === device?.subject
  const onDevice =
    device && deviceBegun?.allowed
      ? await guess(deviceKey(device), isOwn || !isCounted, [], ends)
      : undefined
  const onNetwork = begun.allowed
    ? await guess(key, person !== undefined || !isCounted, wider, ends)
    : begun
  if (!isCounted) return 'unchecked'
  const decided = decide(person, isOwn, { onDevice, onNetwork })
  if (decided !== 'right') return decided
  return person === undefined ? 'wrong' : { person }
}

interface Allowed {
  readonly allowed: boolean
  readonly retryAfterSeconds: number
}

interface Counts {
  readonly onDevice: Allowed | undefined
  readonly onNetwork: Allowed
}

function decide(
  person: Person | undefined,
  isOwn: boolean,
  { onDevice, onNetwork }: Counts,
): Guess {
  if (isOwn && onDevice?.allowed === true) return 'right'
  if (onNetwork.allowed && person !== undefined) return 'right'
  // While the networks wait, a known device learns whether the guess is its person's secret.
  if (onNetwork.allowed || (onDevice?.allowed === true && !isOwn)) return 'wrong'
  return { waitSeconds: onNetwork.retryAfterSeconds }
}

/** Refuses an attempt during a wait: 429 with `Retry-After` (RFC 6585 §4). */
export function refuseDuringWait(
  server: PageServer,
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

interface Network {
  readonly bits: number
  /** Wrong guesses without a wait, as a multiple of those of the narrowest network. */
  readonly capacity: number
}

/** From narrow to wide. */
type Networks = readonly [Network, ...Network[]]

/**
 * One subscriber has at least a /64 and often a /48. Each network has room for at least two of the next
 * narrower ones, so no subscriber alone makes its neighbours wait.
 */
const IPV6_NETWORKS: Networks = [
  { bits: 64, capacity: 1 },
  { bits: 56, capacity: 2 },
  { bits: 48, capacity: 4 },
  { bits: 32, capacity: 8 },
]
const IPV4_NETWORKS: Networks = [
  { bits: 32, capacity: 1 },
  { bits: 24, capacity: 4 },
]

/** Room for five of the widest networks, so none of them makes all others wait. */
const OVERALL: WiderCount = { key: 'passphrase', capacity: 40 }

/** The counts of a request, from narrow to wide. */
export function guessCounts({ headers }: Request): readonly [WiderCount, ...WiderCount[]] {
  const address = clientAddress(headers)
  const bytes = address === null ? undefined : parseIpAddress(address)
  if (bytes === undefined) {
    // The platform sets the header on Cloudflare. Elsewhere it may be missing, or be any text.
    return [{ key: `passphrase ${address === null ? 'local' : 'unknown'}`, capacity: 1 }, OVERALL]
  }
  const count = ({ bits, capacity }: Network): WiderCount => ({
    key: `passphrase ${bytes.slice(0, bits / 8).join('.')}/${bits}`,
    capacity,
  })
  const [narrow, ...wider] = bytes.length === 4 ? IPV4_NETWORKS : IPV6_NETWORKS
  return [count(narrow), ...wider.map(count), OVERALL]
}
