/** A failed sign-in. */

/**
 * `failed`: the sign-in did not succeed, or the site has ended it. `not-allowed`: the person has signed in and may not
 * come in; the page offers another account. `unavailable`: the site or the author's function cannot decide now.
 */
export type LoginErrorReason = 'failed' | 'not-allowed' | 'unavailable'

export interface LoginErrorOptions extends ErrorOptions {
  /** Default `failed`. */
  readonly reason?: LoginErrorReason
}

/** Its message is shown to the person. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
  readonly reason: LoginErrorReason

  constructor(message?: string, options?: LoginErrorOptions) {
    super(message, options)
    this.reason = options?.reason ?? 'failed'
  }
}

export const notAllowed = (message = 'This account may not sign in here.') =>
  new LoginError(message, { reason: 'not-allowed' })
