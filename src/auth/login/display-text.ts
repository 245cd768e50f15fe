/** The error that a person reads after a failed sign-in. */
import { IdTokenError } from './id-token.ts'
import { LoginError } from './login.ts'
import { UpstreamError } from './upstream-fetch.ts'

/** Wraps errors of the upstream in a `LoginError`, with the details as its cause. Returns other errors unchanged. */
export function displayText(error: unknown, name: string): unknown {
  const refused = error instanceof UpstreamError && error.code !== undefined
  if (refused || error instanceof IdTokenError) {
    return new LoginError(`Signing in with ${name} did not succeed. Please try again.`, {
      cause: error,
    })
  }
  if (error instanceof UpstreamError) {
    const text = `Signing in with ${name} is not possible at the moment. Please try again later.`
    return new LoginError(text, { cause: error })
  }
  return error
}
