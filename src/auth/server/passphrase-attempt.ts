/** Verifies a submitted passphrase and throttles wrong ones, by network and by known device. */
import type { SignInRefusalReason } from '../../ports/telemetry.ts'
import { namesForeignClient } from '../forwarded-client.ts'
import type { PassphraseLogin, Person } from '../login/login.ts'
import { limitNetwork } from '../over-limit.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { guessCounts } from './guess-counts.ts'
import { knownDevice } from './known-device.ts'

type Attempt = { readonly person: Person } | { readonly problem: string; readonly status: number }

/** The state of the login for this request. It is open only to a client on this computer. */
export function passphraseState(
  { env, loopback }: AuthorizationServer,
  login: PassphraseLogin,
  request: Request,
): ReturnType<PassphraseLogin['state']> {
  return login.state(env, loopback && !namesForeignClient(request))
}

export async function tryPassphrase(
  server: AuthorizationServer,
  request: Request,
  passphrase: string | undefined,
): Promise<Attempt> {
  const { login, env } = server
  if (login.kind !== 'passphrase') throw new TypeError('The login is no passphrase login')
  const state = passphraseState(server, login, request)
  if (state === 'open') return { person: login.owner }
  // The page that follows says why no sign-in is possible.
  if (state !== 'ready') return { problem: 'No sign-in is possible.', status: 503 }
  if (passphrase === undefined) return { problem: 'Please enter the passphrase.', status: 400 }
  // Before the throttle, whose counts are in one object for the whole deployment.
  await limitNetwork(server.rateLimits, 'sign-in', request)
  // Verified before the throttle, which counts wrong passphrases only. Its result is used when the throttle allows.
  const person = await login.verify(passphrase, env)
  const { guess } = server.accounts.throttle
  const device = await knownDevice(server, request)
  // On the device of one person, the passphrase of another one is a wrong guess. Otherwise each device
  // of the one would have guesses of its own at the passphrase of the other.
  const isOwn = person !== undefined && person.subject === device?.subject
  const onDevice = device && (await guess(`passphrase device ${device.id}`, isOwn))
  if (isOwn && onDevice?.allowed === true) return { person }
  const [{ key }, ...wider] = guessCounts(request)
  const { allowed, retryAfterSeconds } = await guess(key, person !== undefined, wider)
  if (allowed && person !== undefined) return { person }
  // While the networks wait, a known device learns whether the guess is its person's passphrase.
  if (allowed || (onDevice?.allowed === true && !isOwn)) {
    return refuse(server, 'passphrase-wrong', 'The passphrase is wrong.', 401)
  }
  const minutes = Math.ceil(retryAfterSeconds / 60)
  const problem = `Too many attempts. Please wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return refuse(server, 'passphrase-throttled', problem, 429)
}

function refuse(
  { report }: AuthorizationServer,
  reason: SignInRefusalReason,
  problem: string,
  status: number,
): Attempt {
  report({ type: 'sign-in-refused', reason, message: problem })
  return { problem, status }
}
