/** Verifies a submitted API key and throttles wrong ones. The key is in no event and on no page. */
import { type ApiKeyLogin, LoginError } from '../login/login.ts'
import { limitNetwork } from '../over-limit.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { type Attempt, refuseSignIn } from './refuse-sign-in.ts'
import { refuseDuringWait, type Verified, verifyGuess } from './secret-guess.ts'

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
  let problem = WRONG
  const verify = async (): Promise<Verified> => {
    try {
      return { person: await login.verify(key, server.env) }
    } catch (error) {
      if (error instanceof LoginError) {
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
