/**
 * Signs a person in with what they have entered into a form of this server, and throttles wrong passphrases and API
 * keys. A key is in no event and on no page.
 */

import type { ApiKeyLogin, PassphraseLogin } from '../login/login.ts'
import { LoginError } from '../login/login-error.ts'
import { limitNetwork } from '../over-limit.ts'
import type { PageServer } from './authorization-server.ts'
import { type Attempt, refuseSignIn } from './refuse-sign-in.ts'
import { countGuess, refuseDuringWait, type Verified, verifyGuess } from './secret-guess.ts'

export async function tryFormSignIn(
  server: PageServer,
  request: Request,
  form: ReadonlyMap<string, string>,
): Promise<Attempt> {
  const { login } = server
  if (login.kind === 'api-key') return tryApiKey(server, request, login, form.get('api_key'))
  if (login.kind === 'passphrase')
    return tryPassphrase(server, request, login, form.get('passphrase'))
  throw new TypeError('The login has no form')
}

/** The state of the login for this request. It is open only in development, to a client on this computer. */
export function passphraseState(
  { env, isDevelopment }: PageServer,
  login: PassphraseLogin,
  request: Request,
): ReturnType<PassphraseLogin['state']> {
  return login.state(env, isDevelopment(request))
}

async function tryPassphrase(
  server: PageServer,
  request: Request,
  login: PassphraseLogin,
  passphrase: string | undefined,
): Promise<Attempt> {
  const state = passphraseState(server, login, request)
  if (state === 'open') return { person: login.owner }
  // The page that follows says why no sign-in is possible.
  if (state !== 'ready') return { problem: 'No sign-in is possible.', status: 503 }
  if (passphrase === undefined) return { problem: 'Please enter the passphrase.', status: 400 }
  // Before the throttle, whose counts are in one object for the whole deployment.
  await limitNetwork(server.rateLimits, 'sign-in', request)
  // Verified before the throttle, which counts wrong passphrases only. Its result is used when the throttle allows.
  const person = await login.verify(passphrase, server.env)
  const guess = await countGuess(server, request, person)
  if (typeof guess === 'object') {
    return refuseDuringWait(server, 'passphrase-throttled', guess.waitSeconds)
  }
  if (guess === 'right' && person !== undefined) return { person }
  return refuseSignIn(server, 'passphrase-wrong', 'The passphrase is wrong.', 401)
}

const WRONG = 'The key is not valid.'
const UNCHECKED = 'The key cannot be checked at the moment. Please try again later.'

export async function tryApiKey(
  server: PageServer,
  request: Request,
  login: ApiKeyLogin,
  entered: string | undefined,
): Promise<Attempt> {
  // Pasted text often has white space at its ends.
  const key = entered?.trim() ?? ''
  if (key === '') return { problem: 'Please enter the key.', status: 400 }
  await limitNetwork(server.rateLimits, 'sign-in', request)
  let problem = WRONG
  const verify = async (): Promise<Verified> => {
    try {
      return { person: await login.verify(key, server.env) }
    } catch (error) {
      if (error instanceof LoginError && error.reason !== 'unavailable') {
        problem = error.message
        return { person: undefined }
      }
      server.report({ type: 'internal-error', error })
      return 'unchecked'
    }
  }
  // Counted before it is verified, which is mostly a request to the service that has issued the key.
  const guess = await verifyGuess(server, request, verify)
  if (guess === 'unchecked') return refuseSignIn(server, 'api-key-unchecked', UNCHECKED, 503)
  if (guess === 'wrong') return refuseSignIn(server, 'api-key-wrong', problem, 401, WRONG)
  if ('person' in guess) return guess
  return refuseDuringWait(server, 'api-key-throttled', guess.waitSeconds)
}
