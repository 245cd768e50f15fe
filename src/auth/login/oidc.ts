/** Sign-in with an OpenID provider: code flow with PKCE, nonce and state. */
import { sha256Base64Url } from '../../platform/digest.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { isLoopbackName } from '../../protocol/loopback-name.ts'
import { checkSubject } from '../subject.ts'
import { readCode } from './callback-answer.ts'
import { attributesOfClaims, type ClaimedAttributes, type IdClaims } from './claimed-attributes.ts'
import { isSignInTooOld, verifyIdToken } from './id-token.ts'
import {
  type LoginRequest,
  NOT_ALLOWED,
  type Person,
  PersonNotAllowedError,
  RENEW_TOKENS,
  type RedirectLogin,
} from './login.ts'
import { createProviderMetadata, type Provider } from './provider-metadata.ts'
import { renewGrantTokens } from './renew-grant-tokens.ts'
import { requireSecret, type Secret } from './secret.ts'
import { displayText, type LoginPlatform, PLATFORM, UpstreamError } from './upstream-fetch.ts'
import { createUpstreamRenewal } from './upstream-renewal.ts'
import {
  codeGrant,
  refreshGrant,
  requestTokens,
  type TokenAnswer,
  type TokenEndpoint,
} from './upstream-tokens.ts'

export interface OidcOptions {
  /** Exactly as the provider writes it, such as `https://login.example.com`. */
  readonly issuer: string
  readonly clientId: Secret
  /** Default: none, for a public client. */
  readonly clientSecret?: Secret
  /** Requested scopes. `openid` is always added. Default: `profile` and `email`. */
  readonly scopes?: readonly string[]
  /** Maps claims to a subject: stable, unique, 1 to 255 characters. Default: `sub`. */
  readonly subject?: (claims: IdClaims) => string
  /** Whether a person may sign in. Default: every account of the provider. */
  readonly admit?: (claims: IdClaims) => boolean | Promise<boolean>
  /**
   * Attributes for `allow` and `scopesOf`, such as `({ roles }) => ({ groups: roles })`. Default: the id
   * is `sub`, the groups are those of the claim `groups`, and an address counts with `email_verified`.
   * Members that the function returns replace these.
   */
  readonly attributes?: (claims: IdClaims) => ClaimedAttributes
  /** The name of the provider on pages. Default: the host of the issuer. */
  readonly name?: string
  /** The `prompt` parameter: `login`, `consent` or `select_account`. Default: none. */
  readonly prompt?: string
  /** Further parameters for the provider's authorization endpoint. */
  readonly parameters?: Readonly<Record<string, string>>
}

/**
 * Signs people in with an OpenID provider. Register the redirect URI `<origin>/authorize/callback`.
 * Props are `{ upstream: UpstreamTokens, claims }` with the claims of the id token.
 *
 * @throws {TypeError} when the issuer is no https URL (on loopback hosts: http)
 */
export function oidc(options: OidcOptions): RedirectLogin {
  return createOidcLogin(options, PLATFORM)
}

/** What a preset knows about its provider. */
interface ProviderOptions {
  /** The parameters that ask for a sign-in of this age at most. Default: those of OpenID Connect. */
  readonly signInAgain?: (maxAgeSeconds: number) => Readonly<Record<string, string>>
}

function standardSignInAgain(maxAgeSeconds: number): Readonly<Record<string, string>> {
  return { max_age: String(maxAgeSeconds), ...(maxAgeSeconds === 0 && { prompt: 'login' }) }
}

/** @throws {TypeError} when the issuer is no https URL (on loopback hosts: http) */
export function createOidcLogin(
  { signInAgain = standardSignInAgain, ...options }: OidcOptions & ProviderOptions,
  { fetch, now }: LoginPlatform,
): RedirectLogin {
  const { issuer, clientId, clientSecret, prompt, parameters, scopes } = options
  checkIssuer(issuer)
  const { subject = ({ sub }) => sub, admit = () => true, attributes } = options
  const name = options.name ?? new URL(issuer).host
  const scope = [...new Set(['openid', ...(scopes ?? ['profile', 'email'])])].join(' ')
  const findProvider = createProviderMetadata({ issuer, fetch, now })
  const renew = createUpstreamRenewal(now)

  const endpoint = (provider: Provider, env: unknown): TokenEndpoint => ({
    url: provider.tokenEndpoint,
    authMethod: provider.authMethod,
    clientId: requireSecret(clientId, env),
    clientSecret: clientSecret === undefined ? undefined : requireSecret(clientSecret, env),
  })

  const fail = (error: unknown): never => {
    throw displayText(error, name)
  }

  const verify = ({ keys }: Provider, idToken: string, nonce: string | undefined, env: unknown) =>
    verifyIdToken(idToken, {
      issuer,
      clientId: requireSecret(clientId, env),
      nonce,
      keys,
      now: now(),
    })

  async function signedIn(answer: URLSearchParams, request: LoginRequest, env: unknown) {
    const provider = await findProvider()
    const code = readCode(answer, { name, issuer, sendsIssuer: provider.sendsIssuer })
    const grant = codeGrant(code, request)
    const { tokens, idToken } = await requestTokens(fetch, endpoint(provider, env), grant, now())
    if (idToken === undefined) throw new UpstreamError('The token endpoint returned no id token')
    const claims = await verify(provider, idToken, request.nonce, env)
    if (!claims.ok) throw invalidIdToken(claims.error)
    const { maxAgeSeconds, begunAt = now() } = request
    // A provider that cannot be asked for `max_age` promises no `auth_time` of its request.
    const asked = maxAgeSeconds !== undefined && 'max_age' in signInAgain(maxAgeSeconds)
    if (asked && isSignInTooOld(claims.value, { maxAgeSeconds, begunAt })) {
      throw invalidIdToken('auth_time is older than max_age')
    }
    return { tokens, claims: claims.value }
  }

  return {
    kind: 'redirect',
    [RENEW_TOKENS]: renewGrantTokens,
    name,
    async begin(
      { callbackUrl, state, nonce, codeVerifier, selectAccount = false, maxAgeSeconds },
      env,
    ) {
      const provider = await findProvider().catch(fail)
      const url = new URL(provider.authorizationEndpoint)
      const again: Readonly<Record<string, string>> =
        maxAgeSeconds === undefined ? {} : signInAgain(maxAgeSeconds)
      const asked = [selectAccount && 'select_account', again.prompt, ...(prompt?.split(' ') ?? [])]
      const prompts = new Set(asked.filter((value) => typeof value === 'string'))
      const query = {
        ...parameters,
        ...again,
        ...(prompts.size > 0 && { prompt: [...prompts].join(' ') }),
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
      const { tokens, claims } = await signedIn(answer, request, env).catch(fail)
      if (!(await admit(claims))) throw new PersonNotAllowedError(NOT_ALLOWED)
      return {
        ...attributesOfClaims(claims, attributes),
        subject: checkSubject(subject(claims)),
        name: displayNameOf(claims),
        props: { upstream: tokens, claims: personClaims(claims) },
      }
    },
    refresh: (props, env) =>
      renew(props, async (refreshToken) => {
        const provider = await findProvider()
        const grant = refreshGrant(refreshToken)
        const answer = await requestTokens(fetch, endpoint(provider, env), grant, now())
        return { tokens: answer.tokens, claims: await claimsAfter(provider, answer, props, env) }
      }),
    attributes: async ({ claims }) =>
      isIdClaims(claims) ? attributesOfClaims(claims, attributes) : undefined,
  }

  /** The claims of the id token of a renewal, with which the provider reports changes of a person. */
  async function claimsAfter(
    provider: Provider,
    { idToken }: TokenAnswer,
    { claims: known }: NonNullable<Person['props']>,
    env: unknown,
  ) {
    if (idToken === undefined || !isIdClaims(known)) return undefined
    try {
      const claims = await verify(provider, idToken, undefined, env)
      return claims.ok && claims.value.sub === known.sub ? personClaims(claims.value) : undefined
    } catch (error) {
      // The renewal has succeeded, and the claims of the sign-in still hold.
      if (error instanceof UpstreamError) return undefined
      throw error
    }
  }
}

function invalidIdToken(defect: string): UpstreamError {
  return new UpstreamError(`The id token is not valid: ${defect}`, { code: 'invalid_token' })
}

function isIdClaims(value: unknown): value is IdClaims {
  return isJsonObject(value) && typeof value.sub === 'string'
}

function checkIssuer(issuer: string): void {
  const url = URL.parse(issuer)
  const secure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname))
  if (!secure || issuer.includes('?') || issuer.includes('#')) {
    throw new TypeError(`The issuer "${issuer}" must be an https URL without query and fragment`)
  }
}

function displayNameOf(claims: IdClaims): Person['name'] {
  const names = [claims.name, claims.preferred_username, claims.email]
  return names.find((name) => typeof name === 'string' && name !== '') as string | undefined
}

/** Claims about the token instead of the person. They are left out of the props. */
const TOKEN_CLAIMS = ['iss', 'aud', 'azp', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'at_hash', 'c_hash']

function personClaims(claims: IdClaims): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => !TOKEN_CLAIMS.includes(key)))
}
