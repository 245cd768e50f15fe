/** Signing in at an OpenID provider: the code flow, with PKCE, nonce and state. */

import { sha256Base64Url } from '../../platform/digest.ts'
import { readCode } from './callback-answer.ts'
import { displayText } from './display-text.ts'
import { verifyIdToken } from './id-token.ts'
import { LoginError, type LoginRequest, type Person, type RedirectLogin } from './login.ts'
import { type LoginPlatform, PLATFORM } from './platform.ts'
import { type Provider, ProviderMetadata } from './provider-metadata.ts'
import { requireSecret, type Secret } from './secret.ts'
import { checkSubject } from './subject.ts'
import { UpstreamError } from './upstream-fetch.ts'
import { UpstreamRenewal } from './upstream-renewal.ts'
import { requestTokens, type TokenEndpoint } from './upstream-tokens.ts'

export type IdClaims = { readonly sub: string; readonly [name: string]: unknown }

export interface OidcOptions {
  /** Exactly as the provider writes it: `https://login.example.com`. */
  readonly issuer: string
  readonly clientId: Secret
  /** Left out for a public client. */
  readonly clientSecret?: Secret
  /** Default: `openid`, `profile` and `email`. `openid` is always asked for. */
  readonly scopes?: readonly string[]
  /** Whose notes and grants those of this person are. Default: `sub`, which no two people of a provider share. */
  readonly subject?: (claims: IdClaims) => string
  /** Who may sign in. Default: everybody whom the provider knows. */
  readonly admit?: (claims: IdClaims) => boolean | Promise<boolean>
  /** What people call the provider. Default: its host. */
  readonly name?: string
  /** `login`, `consent`, `select_account`. */
  readonly prompt?: string
  /** More for the provider's authorization endpoint. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** `props` of whoever signs in: `{ upstream: UpstreamTokens, claims }`, the claims of the id token. */
export function oidc(options: OidcOptions): RedirectLogin {
  return createOidcLogin(options, PLATFORM)
}

/** @throws {TypeError} for an issuer that is no https URL (http on one's own machine) */
export function createOidcLogin(
  options: OidcOptions,
  { fetch, now }: LoginPlatform,
): RedirectLogin {
  const { issuer, clientId, clientSecret, prompt, parameters, scopes } = options
  checkIssuer(issuer)
  const { subject = ({ sub }) => sub, admit = () => true } = options
  const name = options.name ?? new URL(issuer).host
  const scope = [...new Set(['openid', ...(scopes ?? ['profile', 'email'])])].join(' ')
  const metadata = new ProviderMetadata({ issuer, fetch, now })
  const renewal = new UpstreamRenewal(now)

  const endpoint = (provider: Provider, env: unknown): TokenEndpoint => ({
    url: provider.tokenEndpoint,
    authMethod: provider.authMethod,
    clientId: requireSecret(clientId, env),
    clientSecret: clientSecret === undefined ? undefined : requireSecret(clientSecret, env),
  })

  const tell = (error: unknown): never => {
    throw displayText(error, name)
  }

  async function signedIn(
    answer: URLSearchParams,
    { callbackUrl, codeVerifier, nonce }: LoginRequest,
    env: unknown,
  ) {
    const provider = await metadata.provider()
    const code = readCode(answer, { name, issuer, sendsIssuer: provider.sendsIssuer })
    const { tokens, idToken } = await requestTokens(
      fetch,
      endpoint(provider, env),
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callbackUrl,
        code_verifier: codeVerifier,
      },
      now(),
    )
    if (idToken === undefined) throw new UpstreamError('The token endpoint gave no id token')
    const claims = await verifyIdToken(idToken, {
      issuer,
      clientId: requireSecret(clientId, env),
      nonce,
      keys: provider.keys,
      now: now(),
    })
    return { tokens, claims }
  }

  return {
    kind: 'redirect',
    name,
    async begin({ callbackUrl, state, nonce, codeVerifier }, env) {
      const provider = await metadata.provider().catch(tell)
      const url = new URL(provider.authorizationEndpoint)
      const query = {
        ...parameters,
        ...(prompt === undefined ? undefined : { prompt }),
        response_type: 'code',
        client_id: requireSecret(clientId, env),
        redirect_uri: callbackUrl,
        scope,
        state,
        nonce,
        code_challenge: await sha256Base64Url(codeVerifier),
        code_challenge_method: 'S256',
      }
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
      return url
    },
    async finish(answer, request, env) {
      const { tokens, claims } = await signedIn(answer, request, env).catch(tell)
      if (!(await admit(claims))) throw new LoginError('This account may not sign in here')
      return {
        subject: checkSubject(subject(claims)),
        name: displayNameOf(claims),
        props: { upstream: tokens, claims: ownClaims(claims) },
      }
    },
    refresh: (props, env) =>
      renewal.renew(props, async (refreshToken) => {
        const provider = await metadata.provider()
        const params = { grant_type: 'refresh_token', refresh_token: refreshToken }
        return requestTokens(fetch, endpoint(provider, env), params, now())
      }),
  }
}

const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost']

function checkIssuer(issuer: string): void {
  const url = URL.parse(issuer)
  const secure =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname))
  if (!secure || issuer.includes('?') || issuer.includes('#')) {
    throw new TypeError(`The issuer "${issuer}" must be an https URL without query and fragment`)
  }
}

function displayNameOf(claims: IdClaims): Person['name'] {
  const names = [claims.name, claims.preferred_username, claims.email]
  return names.find((name) => typeof name === 'string' && name !== '') as string | undefined
}

/** Those that say something of the person, and not of the token. */
const OF_THE_TOKEN = ['iss', 'aud', 'azp', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'at_hash', 'c_hash']

function ownClaims(claims: IdClaims): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => !OF_THE_TOKEN.includes(key)))
}
