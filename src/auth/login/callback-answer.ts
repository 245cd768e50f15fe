/** Reads the query of the callback. None of its text is shown to the person. */
import { LoginError } from './login-error.ts'

export interface AnswerOptions {
  /** The name of the provider, for error texts. */
  readonly name: string
  /** The provider's issuer; undefined for a provider without one. */
  readonly issuer: string | undefined
  /** Whether the provider's metadata promises `iss` in every response (RFC 9207 §3). */
  readonly sendsIssuer: boolean
}

const MAX_CODE_LENGTH = 4096

/**
 * Returns the authorization code.
 *
 * `iss` is checked first: a response of another server, even an error, must not count as this provider's.
 *
 * @throws {LoginError} when the response is malformed, of another issuer, or an error
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2.4
 */
export function readCode(
  answer: URLSearchParams,
  { name, issuer, sendsIssuer }: AnswerOptions,
): string {
  const failed = (reason: string) =>
    new LoginError(`Signing in with ${name} did not succeed. Please try again.`, {
      cause: new Error(reason),
    })
  for (const parameter of ['code', 'error', 'iss']) {
    if (answer.getAll(parameter).length > 1) throw failed(`The response repeats ${parameter}`)
  }
  const iss = answer.get('iss') ?? undefined
  if (issuer !== undefined && iss !== issuer && (iss !== undefined || sendsIssuer)) {
    throw failed('The response is from another issuer')
  }
  const error = answer.get('error')
  if (error === 'access_denied') throw new LoginError(`Signing in with ${name} was cancelled.`)
  if (error !== null) throw failed(`The provider responded with the error ${error.slice(0, 100)}`)
  const code = answer.get('code') ?? ''
  if (code === '' || code.length > MAX_CODE_LENGTH) throw failed('The response has no usable code')
  return code
}
