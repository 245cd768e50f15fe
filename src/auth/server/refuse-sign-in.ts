/** Refuses an attempt to sign in on a page of this server. */
import type { SignInRefusalReason } from '../../ports/telemetry.ts'
import type { Person } from '../login/login.ts'
import type { PageServer } from './authorization-server.ts'

/** Reports the refusal. @param message for telemetry, if the person reads another text */
export function refuseSignIn(
  { report }: PageServer,
  reason: SignInRefusalReason,
  problem: string,
  status: number,
  message = problem,
): RefusedAttempt {
  report({ type: 'sign-in-refused', reason, message })
  return { problem, status }
}

export interface RefusedAttempt {
  /** Shown to the person. */
  readonly problem: string
  readonly status: number
  /** The value of `Retry-After` of the page. */
  readonly retryAfterSeconds?: number
}

export type Attempt = { readonly person: Person } | RefusedAttempt
