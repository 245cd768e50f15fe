/** Verifies a submitted API key and throttles wrong ones. The key is in no event and on no page. */
import { type ApiKeyLogin, LoginError, type Person } from '../login/login.ts'
import { limitNetwork } from '../over-limit.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { type Attempt, refuseSignIn } from './refuse-sign-in.ts'
import { countGuess, guessWait, refuseDuringWait } from './secret-guess.ts'

const WRONG = 'The key is not valid.'
const UNCHECKED = 'The key cannot be checked at the moment. Please try again later.'

export async function tryApiKey(
  server: AuthorizationServer,
  request: Request,
  login: ApiKeyLogin,
  entered: string | undefined,
): Promise<Attempt> {
  // Pasted text often has white space at its ends.
  const key = entered?.trim() ?? ''
  if (key === '') return { problem: 'Please enter the key.', status: 400 }
  await limitNetwork(server.rateLimits, 'sign-in', request)
  const throttled = (waitSeconds: number) =>
    refuseDuringWait(server, 'api-key-throttled', waitSeconds)
  // Before the key is verified, which is mostly a request to the service that has issued it.
  const wait = await guessWait(server, request)
  if (wait > 0) return throttled(wait)
  let person: Person | undefined
  let problem = WRONG
  try {
    person = await login.verify(key, server.env)
  } catch (error) {
    if (!(error instanceof LoginError)) {
      server.report({ type: 'internal-error', error })
      return refuseSignIn(server, 'api-key-unchecked', UNCHECKED, 503)
    }
    problem = error.message
  }
  const guess = await countGuess(server, request, person)
  if (typeof guess === 'object') return throttled(guess.waitSeconds)
  if (guess === 'right' && person !== undefined) return { person }
  return refuseSignIn(server, 'api-key-wrong', problem, 401, WRONG)
}
