/** Refuses an attempt to sign in on a page of this server. */
import type { SignInRefusalReason } from '../../ports/telemetry.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { RefusedAttempt } from './refused-attempt.ts'

export type { Attempt, RefusedAttempt } from './refused-attempt.ts'

/** Reports the refusal. @param message for telemetry, if the person reads another text */
export function refuseSignIn(
  { report }: AuthorizationServer,
  reason: SignInRefusalReason,
  problem: string,
  status: number,
  message = problem,
): RefusedAttempt {
  report({ type: 'sign-in-refused', reason, message })
  return { problem, status }
}
