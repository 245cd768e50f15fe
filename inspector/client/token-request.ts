/** Requests to the token endpoint: the code of a sign-in, and refresh tokens. */
import { SignInError } from './discovery.ts'
import { forgetTokens, type Renewal, rememberTokens, tokens } from './tokens.ts'

type Members = Readonly<Record<string, unknown>>

/** Where the tokens of a sign-in come from. */
export type TokenSource = Omit<Renewal, 'refreshToken'>

/**
 * Sends a grant to the token endpoint, and remembers the tokens of the answer.
 *
 * @throws {SignInError}
 */
export async function requestTokens(
  source: TokenSource,
  grant: Readonly<Record<string, string>>,
): Promise<void> {
  const { clientId, tokenEndpoint, resource } = source
  const body = new URLSearchParams({ client_id: clientId, resource, ...grant })
  const answer = await post(tokenEndpoint, 'token', { method: 'POST', body })
  const { access_token: accessToken, refresh_token: refreshToken = grant.refresh_token } = answer
  if (typeof accessToken !== 'string') {
    throw new SignInError('The token endpoint sent no access token.')
  }
  const renewal = typeof refreshToken === 'string' ? { ...source, refreshToken } : undefined
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
    await requestTokens(source, { grant_type: 'refresh_token', refresh_token: refreshToken })
  } catch (error) {
    // A refresh token that is refused has ended. After any other failure it can be used again.
    if (!(error instanceof SignInError)) throw error
    forgetTokens()
  }
}

/**
 * @param step names the endpoint in the error
 * @throws {SignInError} when the server refuses the request
 * @throws {Error} when the request may be repeated
 */
export async function post(url: string, step: string, init: RequestInit): Promise<Members> {
  const response = await fetch(url, { ...init, credentials: 'omit', redirect: 'error' })
  const answer = (await response.json()) as Members
  if (response.ok) return answer
  const { status } = response
  const reason = `The ${step} endpoint refused: ${String(answer.error_description ?? answer.error ?? status)}`
  throw status === 429 || status >= 500 ? new Error(reason) : new SignInError(reason)
}
