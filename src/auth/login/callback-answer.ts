/** What comes back in the query of the callback. Nothing of it is ever shown. */
import { LoginError } from './login.ts'

export interface AnswerOptions {
  /** Of the provider, for the texts. */
  readonly name: string
  /** The provider's issuer; undefined for one that has none. */
  readonly issuer: string | undefined
  /** Whether the provider says that it always sends `iss`. */
  readonly sendsIssuer: boolean
}

const MAX_CODE_LENGTH = 4096

/**
 * The authorization code.
 *
 * `iss` is looked at before anything else: an answer from elsewhere, even an error, must not be taken for
 * this provider's.
 *
 * @throws {LoginError}
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2.4
 */
export function readCode(
  answer: URLSearchParams,
  { name, issuer, sendsIssuer }: AnswerOptions,
): string {
  const failed = (reason: string) =>
    new LoginError(`Signing in with ${name} did not succeed: start again`, {
      cause: new Error(reason),
    })
  for (const parameter of ['code', 'error', 'iss']) {
    if (answer.getAll(parameter).length > 1) throw failed(`The answer has ${parameter} twice`)
  }
  const iss = answer.get('iss') ?? undefined
  if (issuer !== undefined && iss !== issuer && (iss !== undefined || sendsIssuer)) {
    throw failed('The answer is not from this provider')
  }
  const error = answer.get('error')
  if (error === 'access_denied') {
    throw new LoginError(`Signing in with ${name} was cancelled`)
  }
  if (error !== null) throw failed(`The provider answered with the error ${error.slice(0, 100)}`)
  const code = answer.get('code') ?? ''
  if (code === '' || code.length > MAX_CODE_LENGTH) throw failed('The answer has no usable code')
  return code
}
