/** What a person may read of a sign-in that went wrong. */
import { IdTokenError } from './id-token.ts'
import { LoginError } from './login.ts'
import { UpstreamError } from './upstream-fetch.ts'

/** The details go to the cause. What is neither upstream's fault nor the person's stays what it is. */
export function displayText(error: unknown, name: string): unknown {
  const refused = error instanceof UpstreamError && error.code !== undefined
  if (refused || error instanceof IdTokenError) {
    return new LoginError(`Signing in with ${name} did not succeed: start again`, { cause: error })
  }
  if (error instanceof UpstreamError) {
    const text = `Signing in with ${name} does not work at the moment: try again later`
    return new LoginError(text, { cause: error })
  }
  return error
}
