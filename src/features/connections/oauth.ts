/** `oauth()`: accounts at a service with OAuth 2.0, by its metadata or by fixed endpoints. */

import { RemoteError } from '../../auth/fetch/remote-error.ts'
import { readCode } from '../../auth/login/callback-answer.ts'
import { LOGIN_PARTS, type LoginRequest, type RedirectSite } from '../../auth/login/login.ts'
import { LoginError } from '../../auth/login/login-error.ts'
import {
  createMetadataCache,
  endpointOf,
  readProvider,
} from '../../auth/login/provider-metadata.ts'
import { returnParts } from '../../auth/login/return-parts.ts'
import { requireSecret, type Secret } from '../../auth/login/secret.ts'
import { displayText, fetchUpstream, PLATFORM } from '../../auth/login/upstream-fetch.ts'
import { createUpstreamRenewal } from '../../auth/login/upstream-renewal.ts'
import {
  authenticated,
  codeGrant,
  refreshGrant,
  requestTokens,
  type TokenEndpoint,
  tokensIn,
} from '../../auth/login/upstream-tokens.ts'
import { checkSubject } from '../../auth/subject.ts'
import { sha256Base64Url } from '../../platform/digest.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isLoopbackName } from '../../protocol/loopback-name.ts'

/** Where the service has its endpoints: https URLs, on loopback hosts http. */
export interface OAuthEndpoints {
  readonly authorization: string
  readonly token: string
  /** Returns the account of a token as JSON with `sub` or `id`. Default: none, so that `account` must be given. */
  readonly userinfo?: string
  /** RFC 7009. Default: tokens are not ended at the service. */
  readonly revocation?: string
}

/** How a client proves who it is, in place of a secret. */
export interface ClientAssertion {
  /** The parameters of a request to the token endpoint. */
  params(
    audience: string,
    clientId: string,
    env: unknown,
  ): Promise<Readonly<Record<string, string>>>
}

export interface OAuthOptions<Env = unknown> {
  /** The name of the service on pages, such as "Slack". */
  readonly name: string
  /** Where the tokens may be sent, such as `['https://slack.com']`. `https://*.example.com` are all hosts below it. */
  readonly origins: readonly string[]
  /** The issuer, whose metadata has the endpoints (RFC 8414, OpenID Connect Discovery). Either this or `endpoints`. */
  readonly issuer?: string
  /** Fixed endpoints, for a service without metadata. */
  readonly endpoints?: OAuthEndpoints
  /** The id of this server at the service. */
  readonly clientId: Secret
  /** Default: none, for a public client and for one with an assertion. */
  readonly clientSecret?: Secret
  /** Default: as the metadata says, otherwise `client_secret_basic`. */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post'
  /** `private_key_jwt`: the value of `signedAssertion()`. */
  readonly clientAssertion?: ClientAssertion
  /** The scopes that every use of the connection needs. Default: none. */
  readonly scopes?: readonly string[]
  /** Further parameters of the authorization request, such as `{ access_type: 'offline' }`. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Converts a token answer of another form to that of RFC 6749, such as `({ authed_user }) => authed_user`. */
  readonly readAnswer?: (answer: JsonObject) => JsonObject
  /** The account of a new token, read at the service. Default: what the endpoint `userinfo` returns. */
  readonly account?: (
    accessToken: string,
    env: Env,
  ) => Promise<{ readonly id: string | number; readonly label: string }>
}

interface Endpoints {
  readonly authorization: string
  readonly token: string
  readonly userinfo: string | undefined
  readonly revocation: string | undefined
  readonly authMethod: TokenEndpoint['authMethod']
  readonly sendsIssuer: boolean
}

/**
 * Accounts at a service with OAuth 2.0 for `connections()`: code flow with PKCE S256. The redirect URI to register is
 * `<origin>/connect/callback/<name of the connection>`.
 *
 * @throws {TypeError} for a malformed option
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13
 */
export function oauth<Env = unknown>(options: OAuthOptions<Env>): RedirectSite {
  const { name, issuer, scopes = [], parameters, account } = options
  const { fetch, now } = PLATFORM
  const findEndpoints = endpointsOf(options)
  const renew = createUpstreamRenewal(now)
  const fail = (error: unknown): never => {
    throw displayText(error, name)
  }
  const clientOf = async (env: unknown) => {
    const endpoints = await findEndpoints()
    const clientId = requireSecret(options.clientId, env)
    const secret = options.clientSecret
    const client = {
      clientId,
      clientSecret: secret === undefined ? undefined : requireSecret(secret, env),
      authMethod: options.authMethod ?? endpoints.authMethod,
    }
    const assertion = await options.clientAssertion?.params(
      issuer ?? endpoints.token,
      clientId,
      env,
    )
    return { endpoints, client, assertion }
  }
  const request = async (grant: Readonly<Record<string, string>>, env: unknown) => {
    const { endpoints, client, assertion } = await clientOf(env)
    const endpoint = { ...client, url: endpoints.token, readAnswer: options.readAnswer }
    const answer = await requestTokens(fetch, endpoint, { ...grant, ...assertion }, now())
    return { endpoints, tokens: answer.tokens }
  }
  const accountOf = async (accessToken: string, { userinfo }: Endpoints, env: unknown) => {
    // The author declares the type of the environment.
    const found = account
      ? await account(accessToken, env as Env)
      : await askUserinfo(name, accessToken, userinfo)
    return { subject: checkSubject(String(found.id)), name: String(found.label) }
  }
  return {
    kind: 'redirect',
    [LOGIN_PARTS]: returnParts,
    ...{ name, scopes, origins: options.origins },
    async begin(begun: LoginRequest, env) {
      const { authorization } = await findEndpoints().catch(fail)
      const asked = [...new Set([...scopes, ...(begun.scopes ?? [])])]
      const prompts = [parameters?.prompt, begun.selectAccount && 'select_account']
        .filter(Boolean)
        .join(' ')
      const query = {
        ...parameters,
        ...(prompts !== '' && { prompt: prompts }),
        response_type: 'code',
        client_id: requireSecret(options.clientId, env),
        redirect_uri: begun.callbackUrl,
        ...(asked.length > 0 && { scope: asked.join(' ') }),
        state: begun.state,
        code_challenge: await sha256Base64Url(begun.codeVerifier),
        code_challenge_method: 'S256',
      }
      const url = new URL(authorization)
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
      return url
    },
    async finish(answer, begun, env) {
      try {
        const { sendsIssuer } = await findEndpoints()
        const code = readCode(answer, { name, issuer, sendsIssuer })
        const { tokens, endpoints } = await request(codeGrant(code, begun), env)
        const person = await accountOf(tokens.accessToken, endpoints, env)
        return { ...person, props: { upstream: tokens } }
      } catch (error) {
        return fail(error)
      }
    },
    refresh: (props, env) => renew(props, (token) => request(refreshGrant(token), env)),
    async identify(props, env) {
      const tokens = tokensIn(props)
      if (tokens === undefined) throw new LoginError('There is no token')
      return accountOf(tokens.accessToken, await findEndpoints(), env).catch(fail)
    },
    async revoke(props, env) {
      const tokens = tokensIn(props)
      const { endpoints, client, assertion } = await clientOf(env)
      if (endpoints.revocation === undefined || tokens === undefined) return
      const token = tokens.refreshToken ?? tokens.accessToken
      // Its answer has no body that matters (RFC 7009 §2.2).
      const response = await fetch(endpoints.revocation, {
        ...authenticated(client, { token, ...assertion }),
        redirect: 'manual',
        signal: AbortSignal.timeout(REVOCATION_TIMEOUT_MS),
      })
      await response.body?.cancel()
    },
  }
}

/** The account of a token, as the endpoint `userinfo` says. */
async function askUserinfo(name: string, accessToken: string, userinfo: string | undefined) {
  if (userinfo === undefined) throw new Error(`oauth({ name: '${name}' }) needs account`)
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' }
  const { status, value } = await fetchUpstream(PLATFORM.fetch, userinfo, { headers })
  const id = value.sub ?? value.id
  if (status !== 200 || (typeof id !== 'string' && typeof id !== 'number')) {
    throw new RemoteError(`The userinfo endpoint of ${name} returned no account`, {
      code: status === 401 ? 'invalid_token' : 'no_account',
    })
  }
  const labels = [value.email, value.name, value.preferred_username, value.login, id]
  return {
    id,
    label: String(labels.find((label) => typeof label === 'string' && label !== '') ?? id),
  }
}

const REVOCATION_TIMEOUT_MS = 5_000

/** @throws {TypeError} for neither issuer nor endpoints, and for one that is no https URL */
function endpointsOf(options: OAuthOptions<never>): () => Promise<Endpoints> {
  const { name, issuer, endpoints, account } = options
  if (typeof name !== 'string' || name === '') throw new TypeError('oauth() needs a name')
  if ((issuer === undefined) === (endpoints === undefined)) {
    throw new TypeError(`oauth({ name: '${name}' }) needs either issuer or endpoints`)
  }
  for (const url of [issuer, ...Object.values(endpoints ?? {})]) {
    if (url !== undefined) checkUrl(name, url)
  }
  if (endpoints !== undefined) {
    if (endpoints.userinfo === undefined && account === undefined) {
      throw new TypeError(`oauth({ name: '${name}' }) needs endpoints.userinfo or account`)
    }
    const { authorization, token, userinfo, revocation } = endpoints
    const authMethod = 'client_secret_basic'
    const fixed = {
      authorization,
      token,
      userinfo,
      revocation,
      authMethod,
      sendsIssuer: false,
    } as const
    return async () => fixed
  }
  const { fetch, now } = PLATFORM
  const own = `${issuer}`
  return createMetadataCache({ issuer: own, now }, async () => {
    const metadata = await findMetadata(own, (url) => fetchUpstream(fetch, url))
    const { authorizationEndpoint, tokenEndpoint, ...provider } = readProvider(metadata, own)
    const optional = (member: string) =>
      metadata[member] === undefined ? undefined : endpointOf(metadata, member, own)
    return {
      authorization: authorizationEndpoint,
      token: tokenEndpoint,
      userinfo: optional('userinfo_endpoint'),
      revocation: optional('revocation_endpoint'),
      ...provider,
    }
  })
}

/** @see https://www.rfc-editor.org/rfc/rfc8414#section-3.1 */
async function findMetadata(
  issuer: string,
  load: (url: string) => Promise<{ readonly status: number; readonly value: JsonObject }>,
): Promise<JsonObject> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  let last: unknown
  for (const url of urls) {
    try {
      const { status, value } = await load(url)
      if (status === 200) return value
    } catch (error) {
      last = error
    }
  }
  throw new RemoteError(`${issuer} has no metadata`, { cause: last })
}

function checkUrl(name: string, text: string): void {
  const url = URL.parse(text)
  const isSecure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname))
  if (!isSecure || url?.hash !== '') {
    throw new TypeError(`oauth({ name: '${name}' }): "${text}" must be an https URL`)
  }
}
