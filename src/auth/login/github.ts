/**
 * Sign-in with GitHub. GitHub issues no id token, so its API names the user of the access token.
 *
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */

import type { Fetch } from '../../platform/bounded-fetch.ts'
import { sha256Base64Url } from '../../platform/digest.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { RemoteError } from '../fetch/remote-error.ts'
import { readCode } from './callback-answer.ts'
import { fetchGitHubAttributes, githubHeaders, scopesFor } from './github-attributes.ts'
import { LOGIN_PARTS, type LoginRequest, type RedirectLogin } from './login.ts'
import { LoginError, notAllowed } from './login-error.ts'
import { redirectParts } from './redirect-parts.ts'
import { requireSecret, type Secret } from './secret.ts'
import { displayText, fetchUpstream, type LoginPlatform, PLATFORM } from './upstream-fetch.ts'
import { createUpstreamRenewal, endedSignIn } from './upstream-renewal.ts'
import {
  codeGrant,
  refreshGrant,
  requestTokens,
  type TokenEndpoint,
  tokensIn,
} from './upstream-tokens.ts'

/** The body of `GET https://api.github.com/user`. */
export type GitHubUser = JsonObject & { readonly id: number; readonly login: string }

export interface GitHubOptions {
  /** Of the OAuth app. */
  readonly clientId: Secret
  readonly clientSecret: Secret
  /**
   * Scopes of the upstream token. Default: none, which allows reading public data, and those that `allow`
   * needs. With `user:email` and `read:org`, `scopesOf` receives verified addresses, organizations and teams.
   */
  readonly scopes?: readonly string[]
  /** Whether a user may sign in, such as `(user) => user.id === 583231`. Default: every GitHub user. Compare ids: a login name may pass to another user. */
  readonly admit?: (user: GitHubUser) => boolean | Promise<boolean>
}

const NAME = 'GitHub'
const AUTHORIZE = 'https://github.com/login/oauth/authorize'
const TOKEN = 'https://github.com/login/oauth/access_token'
const USER = 'https://api.github.com/user'

/**
 * Signs people in with GitHub. Subjects are `github:<id>`, because a login name may pass to another
 * user. Create the OAuth app at https://github.com/settings/developers with the callback URL
 * `<origin>/authorize/callback`. Props are `{ upstream: UpstreamTokens, claims: { id, login, name, email } }`.
 */
export function github(options: GitHubOptions): RedirectLogin {
  return createGitHubLogin(options, PLATFORM)
}

export function createGitHubLogin(
  { clientId, clientSecret, scopes = [], admit = () => true }: GitHubOptions,
  { fetch, now }: LoginPlatform,
): RedirectLogin {
  const renew = createUpstreamRenewal(now)
  const endpoint = (env: unknown): TokenEndpoint => ({
    url: TOKEN,
    clientId: requireSecret(clientId, env),
    clientSecret: requireSecret(clientSecret, env),
    authMethod: 'client_secret_post',
  })

  async function signedIn(answer: URLSearchParams, request: LoginRequest, env: unknown) {
    const code = readCode(answer, { name: NAME, issuer: undefined, sendsIssuer: false })
    const { tokens } = await requestTokens(fetch, endpoint(env), codeGrant(code, request), now())
    return { tokens, user: await fetchUser(fetch, tokens.accessToken) }
  }

  return {
    kind: 'redirect',
    [LOGIN_PARTS]: redirectParts,
    name: NAME,
    origins: ['https://api.github.com', 'https://uploads.github.com'],
    scopes,
    async begin(request, env) {
      const { callbackUrl, state, codeVerifier, needs, selectAccount, maxAgeSeconds } = request
      const url = new URL(AUTHORIZE)
      url.search = new URLSearchParams({
        client_id: requireSecret(clientId, env),
        redirect_uri: callbackUrl,
        scope: scopesFor([...scopes, ...(request.scopes ?? [])], needs).join(' '),
        // GitHub has no parameter for a new sign-in.
        ...((selectAccount || maxAgeSeconds === 0) && { prompt: 'select_account' }),
        state,
        code_challenge: await sha256Base64Url(codeVerifier),
        code_challenge_method: 'S256',
      }).toString()
      return url
    },
    async finish(answer, request, env) {
      const { tokens, user } = await signedIn(answer, request, env).catch(fail)
      if (!(await admit(user))) throw notAllowed()
      const { id, login, name, email } = user
      const attributes = await fetchGitHubAttributes(fetch, tokens, request.needs).catch(fail)
      return {
        ...attributes,
        id,
        ...personOf(user),
        props: { upstream: tokens, claims: { id, login, name, email } },
      }
    },
    refresh: (props, env) =>
      renew(props, (refreshToken) =>
        requestTokens(fetch, endpoint(env), refreshGrant(refreshToken), now()),
      ),
    async identify(props) {
      const { accessToken } = tokensIn(props) ?? {}
      if (accessToken === undefined) throw new LoginError('There is no token')
      return personOf(await fetchUser(fetch, accessToken, 'invalid_token').catch(fail))
    },
    async attributes(props, needs) {
      const upstream = tokensIn(props)
      const id = isJsonObject(props.claims) ? props.claims.id : undefined
      if (upstream === undefined || typeof id !== 'number') return undefined
      try {
        return { ...(await fetchGitHubAttributes(fetch, upstream, needs)), id }
      } catch (error) {
        throw endedSignIn(error)
      }
    },
  }
}

function personOf({ id, login, name }: GitHubUser) {
  const named = typeof name === 'string' && name !== ''
  return { subject: `github:${id}`, name: named ? `${name} (${login})` : login }
}

function fail(error: unknown): never {
  throw displayText(error, NAME)
}

/** @param refused the code of the error of a token that is not valid. @throws {RemoteError} */
async function fetchUser(fetch: Fetch, accessToken: string, refused?: string): Promise<GitHubUser> {
  const { status, value } = await fetchUpstream(fetch, USER, {
    headers: githubHeaders(accessToken),
  })
  const { id, login } = value
  const known = status === 200 && Number.isSafeInteger(id) && Number(id) > 0
  if (!known || typeof login !== 'string' || login === '') {
    const code = status === 401 ? refused : undefined
    throw new RemoteError('GitHub did not return the user of the token', { code })
  }
  return value as GitHubUser
}
