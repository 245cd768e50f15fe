/** A failed sign-in. */

export interface LoginErrorOptions extends ErrorOptions {
  /**
   * `not-allowed`: the person has signed in and may not come in; the page offers another account. `unavailable`: the
   * site or the author's function cannot decide now. Default: the sign-in did not succeed, or the site has ended it.
   */
  readonly reason?: 'not-allowed' | 'unavailable'
}

/** Its message is shown to the person. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
  readonly reason: LoginErrorOptions['reason']

  constructor(message?: string, options?: LoginErrorOptions) {
    super(message, options)
    this.reason = options?.reason
  }
}

export const notAllowed = (message = 'This account may not sign in here.') =>
  new LoginError(message, { reason: 'not-allowed' })
