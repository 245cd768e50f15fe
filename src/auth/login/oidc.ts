/** Sign-in with an OpenID provider: code flow with PKCE, nonce and state. */
import { sha256Base64Url } from '../../platform/digest.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { isLoopbackName } from '../../protocol/loopback-name.ts'
import { RemoteError } from '../fetch/remote-error.ts'
import { checkSubject } from '../subject.ts'
import { readCode } from './callback-answer.ts'
import { attributesOfClaims, type ClaimedAttributes, type IdClaims } from './claimed-attributes.ts'
import { isSignInTooOld, verifyIdToken } from './id-token.ts'
import { LOGIN_PARTS, type LoginRequest, type Person, type RedirectLogin } from './login.ts'
import { notAllowed } from './login-error.ts'
import { createProviderMetadata, type Provider } from './provider-metadata.ts'
import { redirectParts } from './redirect-parts.ts'
import { requireSecret, type Secret } from './secret.ts'
import { displayText, type LoginPlatform, PLATFORM } from './upstream-fetch.ts'
import { createUpstreamRenewal } from './upstream-renewal.ts'
import { codeGrant, refreshGrant, requestTokens, type TokenAnswer } from './upstream-tokens.ts'

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
  /** For `connections()`: where its tokens may be sent, such as `https://api.example.com`. */
  readonly origins?: readonly string[]
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
  options: OidcOptions & ProviderOptions,
  platform: LoginPlatform,
): RedirectLogin {
  const { issuer, subject = ({ sub }) => sub, admit = () => true, attributes } = options
  checkIssuer(issuer)
  const name = options.name ?? new URL(issuer).host
  const client = new OidcClient({ signInAgain: standardSignInAgain, ...options, name }, platform)
  const renew = createUpstreamRenewal(platform.now)
  const fail = (error: unknown): never => {
    throw displayText(error, name)
  }
  return {
    kind: 'redirect',
    [LOGIN_PARTS]: redirectParts,
    name,
    origins: options.origins,
    scopes: options.scopes,
    begin: async (request, env) =>
      client.authorizationUrl(await client.findProvider().catch(fail), request, env),
    async finish(answer, request, env) {
      const { tokens, claims } = await client.signIn(answer, request, env).catch(fail)
      if (!(await admit(claims))) throw notAllowed()
      return {
        ...attributesOfClaims(claims, attributes),
        subject: checkSubject(subject(claims)),
        name: displayNameOf(claims),
        props: { upstream: tokens, claims: personClaims(claims) },
      }
    },
    refresh: (props, env) => renew(props, (token) => client.renew(token, props, env)),
    attributes: async ({ claims }) =>
      isIdClaims(claims) ? attributesOfClaims(claims, attributes) : undefined,
  }
}

type ClientOptions = OidcOptions & Required<ProviderOptions> & { readonly name: string }

/** The requests of one client to its provider. */
class OidcClient {
  readonly #options: ClientOptions
  readonly #platform: LoginPlatform
  readonly findProvider: () => Promise<Provider>

  constructor(options: ClientOptions, platform: LoginPlatform) {
    this.#options = options
    this.#platform = platform
    this.findProvider = createProviderMetadata({ issuer: options.issuer, ...platform })
  }

  async authorizationUrl(
    { authorizationEndpoint }: Provider,
    request: LoginRequest,
    env: unknown,
  ): Promise<URL> {
    const { callbackUrl, state, nonce, codeVerifier, selectAccount, maxAgeSeconds } = request
    const { scopes = ['profile', 'email'], parameters, prompt, signInAgain } = this.#options
    const again: Readonly<Record<string, string>> =
      maxAgeSeconds === undefined ? {} : signInAgain(maxAgeSeconds)
    const asked = [selectAccount && 'select_account', again.prompt, ...(prompt?.split(' ') ?? [])]
    const prompts = new Set(asked.filter((value) => typeof value === 'string'))
    const query = {
      ...parameters,
      ...again,
      ...(prompts.size > 0 && { prompt: [...prompts].join(' ') }),
      response_type: 'code',
      client_id: requireSecret(this.#options.clientId, env),
      redirect_uri: callbackUrl,
      scope: [...new Set(['openid', ...scopes, ...(request.scopes ?? [])])].join(' '),
      state,
      nonce,
      code_challenge: await sha256Base64Url(codeVerifier),
      code_challenge_method: 'S256',
    }
    const url = new URL(authorizationEndpoint)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    return url
  }

  /** @throws {LoginError} and {RemoteError} when the person has not signed in */
  async signIn(answer: URLSearchParams, request: LoginRequest, env: unknown) {
    const { name, issuer, signInAgain } = this.#options
    const provider = await this.findProvider()
    const code = readCode(answer, { name, issuer, sendsIssuer: provider.sendsIssuer })
    const { tokens, idToken } = await this.#request(provider, codeGrant(code, request), env)
    if (idToken === undefined) throw new RemoteError('The token endpoint returned no id token')
    const claims = await this.#verify(provider, idToken, request.nonce, env)
    if (!claims.ok) throw invalidIdToken(claims.error)
    const { maxAgeSeconds, begunAt = this.#platform.now() } = request
    // A provider that cannot be asked for `max_age` promises no `auth_time` of its request.
    const asked = maxAgeSeconds !== undefined && 'max_age' in signInAgain(maxAgeSeconds)
    if (asked && isSignInTooOld(claims.value, { maxAgeSeconds, begunAt })) {
      throw invalidIdToken('auth_time is older than max_age')
    }
    return { tokens, claims: claims.value }
  }

  /** New tokens, and the claims of their id token, with which the provider reports changes of the person. */
  async renew(refreshToken: string, { claims: known }: NonNullable<Person['props']>, env: unknown) {
    const provider = await this.findProvider()
    const { tokens, idToken } = await this.#request(provider, refreshGrant(refreshToken), env)
    if (idToken === undefined || !isIdClaims(known)) return { tokens }
    try {
      const claims = await this.#verify(provider, idToken, undefined, env)
      const isSame = claims.ok && claims.value.sub === known.sub
      return { tokens, claims: isSame ? personClaims(claims.value) : undefined }
    } catch (error) {
      // The renewal has succeeded, and the claims of the sign-in still hold.
      if (error instanceof RemoteError) return { tokens }
      throw error
    }
  }

  #request(
    { tokenEndpoint: url, authMethod }: Provider,
    grant: Readonly<Record<string, string>>,
    env: unknown,
  ): Promise<TokenAnswer> {
    const { clientId: id, clientSecret: secret } = this.#options
    const clientId = requireSecret(id, env)
    const clientSecret = secret === undefined ? undefined : requireSecret(secret, env)
    const { fetch, now } = this.#platform
    return requestTokens(fetch, { url, authMethod, clientId, clientSecret }, grant, now())
  }

  #verify({ keys }: Provider, idToken: string, nonce: string | undefined, env: unknown) {
    const { issuer, clientId: id } = this.#options
    const clientId = requireSecret(id, env)
    return verifyIdToken(idToken, { issuer, clientId, nonce, keys, now: this.#platform.now() })
  }
}

function invalidIdToken(defect: string): RemoteError {
  return new RemoteError(`The id token is not valid: ${defect}`, { code: 'invalid_token' })
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
