/** Adds to a caller the access to its provider, for handlers. */
import type { UpstreamFault } from '../ports/upstream-tokens.ts'
import { ToolError } from '../server/tool-error.ts'
import type { CallerAuth } from '../server/upstream.ts'
import type { Call } from './call.ts'

/** `upstream` is not enumerable: it is no part of the caller, and no text of it. */
export function callerAuth({ request, deployment }: Call): CallerAuth | undefined {
  const { auth, grant } = request
  if (auth === undefined) return undefined
  const { findUpstreamToken, env } = deployment
  const token = async () => {
    const answer = await findUpstreamToken?.({ auth, grant }, env)
    if (answer?.ok) return answer.accessToken
    const { fault = 'none', provider = 'the sign-in provider' } = answer ?? {}
    throw new ToolError(MESSAGES[fault](provider), { reason: fault })
  }
  return Object.defineProperty({ ...auth }, 'upstream', { value: { token } }) as CallerAuth
}

const MESSAGES: Readonly<Record<UpstreamFault, (provider: string) => string>> = {
  none: () => 'This server has no access token of a sign-in provider for you.',
  ended: (provider) =>
    `Your sign-in at ${provider} has ended. Connect this server again to sign in.`,
  unavailable: (provider) => `${provider} is not available at the moment. Try again later.`,
}
