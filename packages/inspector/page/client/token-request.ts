/** Requests to the token endpoint: the code of a sign-in, and refresh tokens. */
import { isSignInError } from '../../../client/src/mcp-error.ts'
import { requestTokens } from '../../../client/src/sign-in.ts'
import { send } from './discovery.ts'
import { forgetTokens, type Renewal, rememberTokens, type TokenSource, tokens } from './tokens.ts'

/**
 * Sends a grant to the token endpoint, and remembers the tokens of the answer.
 *
 * @throws {McpError}
 */
export async function rememberGrant(
  source: TokenSource,
  grant: Readonly<Record<string, string>>,
): Promise<void> {
  const client = { ...source, tokenEndpoint: new URL(source.tokenEndpoint) }
  const { accessToken, refreshToken = grant.refresh_token } = await requestTokens(
    send,
    client,
    grant,
  )
  const renewal = refreshToken === undefined ? undefined : { ...source, refreshToken }
  rememberTokens({ accessToken, renewal })
}

let renewing: Promise<void> | undefined

/**
 * Replaces an access token that the endpoint has refused, once for all requests that wait for it. Returns
 * the token that is used from now on; undefined when the person must sign in.
 *
 * @throws {TypeError} when the server does not answer
 */
export async function renewedToken(refused: string): Promise<string | undefined> {
  const { value } = tokens
  if (value?.accessToken === refused) {
    renewing ??= renew(value.renewal).finally(() => {
      renewing = undefined
    })
    await renewing
  }
  return tokens.value?.accessToken
}

async function renew(renewal: Renewal | undefined): Promise<void> {
  if (renewal === undefined) return forgetTokens()
  const { refreshToken, ...source } = renewal
  try {
    await rememberGrant(source, { grant_type: 'refresh_token', refresh_token: refreshToken })
  } catch (error) {
    // A refresh token that is refused has ended. After any other failure it can be used again.
    if (!isSignInError(error) || isTemporary(error.status)) throw error
    forgetTokens()
  }
}

const isTemporary = (status = 0) => status === 429 || status >= 500
