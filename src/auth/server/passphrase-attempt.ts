/** Verifies a submitted passphrase and throttles wrong ones. */
import type { PassphraseLogin } from '../login/login.ts'
import { limitNetwork } from '../over-limit.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { type Attempt, refuseSignIn } from './refuse-sign-in.ts'
import { countGuess, refuseDuringWait } from './secret-guess.ts'

/** The state of the login for this request. It is open only in development, to a client on this computer. */
export function passphraseState(
  { env, isDevelopment }: AuthorizationServer,
  login: PassphraseLogin,
  request: Request,
): ReturnType<PassphraseLogin['state']> {
  return login.state(env, isDevelopment(request))
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
  const guess = await countGuess(server, request, person)
  if (typeof guess === 'object') {
    return refuseDuringWait(server, 'passphrase-throttled', guess.waitSeconds)
  }
  if (guess === 'right' && person !== undefined) return { person }
  return refuseSignIn(server, 'passphrase-wrong', 'The passphrase is wrong.', 401)
}
