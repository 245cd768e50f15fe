/** The outcome of an attempt to sign in on a page of this server. */
import type { Person } from '../login/login.ts'

export interface RefusedAttempt {
  /** Shown to the person. */
  readonly problem: string
  readonly status: number
  /** The value of `Retry-After` of the page. */
  readonly retryAfterSeconds?: number
}

export type Attempt = { readonly person: Person } | RefusedAttempt
