/** Verifies access tokens and caches the result per isolate. */
import { withDeadline } from '../../platform/deadline.ts'
import { deepFreeze } from '../../platform/deep-freeze.ts'
import {
  type CacheEntry,
  type CacheRequest,
  RefreshingCache,
} from '../../platform/refreshing-cache.ts'
import { OAuthError } from '../oauth-error.ts'
import { type AccessToken, invalidToken } from './access-token.ts'

export type Props = { readonly [key: string]: unknown }

/** The claims of a token that name its grant, and for a token without one how old it is. */
export type GrantClaims = Pick<
  AccessToken,
  'subject' | 'clientId' | 'grantId' | 'grantKey' | 'issuedAt'
>

/** Whether the grant of a token is active. Throws if the status of the grant cannot be determined. */
export type CheckGrant = (token: GrantClaims) => Promise<{
  readonly active: boolean
  readonly props?: Props | undefined
  /** The scopes that the person may have now; undefined for all that the token has. */
  readonly scopes?: ReadonlySet<string> | undefined
  readonly definitionVersion?: string | undefined
  /** The time before which everything that was issued to anyone has ended, in epoch milliseconds. */
  readonly validFrom?: number | undefined
}>

export interface VerifiedToken {
  /** With the scopes that its person may have now. */
  readonly token: AccessToken
  /** Deeply frozen: requests share them. */
  readonly props: Props | undefined
  readonly definitionVersion?: string | undefined
  readonly validFrom?: number | undefined
}

/** The tokens of a grant or of a subject; without either, all tokens. */
export type TokenSelection = Partial<Pick<AccessToken, 'grantId' | 'subject'>>

export interface VerifiedTokensOptions {
  readonly verify: (token: string) => Promise<AccessToken>
  /** Undefined if a token is valid until it expires. */
  readonly checkGrant: CheckGrant | undefined
  readonly grantChecks: GrantCheckAges
  readonly maxTokens?: number
  readonly now: () => number
}

/** A token is verified again after this time, because its issuer may have withdrawn the key. */
const REVERIFY_MS = 5 * 60_000
const GRANT_CHECK_TIMEOUT_MS = 5_000
/** Verification may fetch keys, which has a timeout of five seconds too. */
const LOAD_TIMEOUT_MS = 2 * GRANT_CHECK_TIMEOUT_MS
/** Timeout of one RPC to an account object. */
const FOLLOW_TIMEOUT_MS = 500
const MAX_TOKENS = 1_000
/** The refusal of a revoked token is repeated for this long without a call of its account. */
const REVOKED_RETRY_MS = 1_000

interface CachedToken extends VerifiedToken {
  /** With the scopes that were granted. */
  readonly verified: AccessToken
  readonly verifiedUntil: number
}

/**
 * The key is the token itself: a digest costs more than the rest of a lookup, and the isolate holds
 * live tokens in any case. Only verified tokens are cached, so forged tokens cannot evict valid ones.
 */
export class VerifiedTokens {
  readonly #options: VerifiedTokensOptions
  readonly #tokens: RefreshingCache<CachedToken>
  /** The refusal of a token whose grant has ended. */
  readonly #revoked = invalidToken('The access token has been revoked')

  constructor(options: VerifiedTokensOptions) {
    const { maxTokens = MAX_TOKENS, grantChecks, now } = options
    this.#options = options
    this.#tokens = new RefreshingCache({
      load: (text, previous) => this.#verifyAndCheck(text, previous?.value),
      loadTimeoutMs: LOAD_TIMEOUT_MS,
      followTimeoutMs: FOLLOW_TIMEOUT_MS,
      maxStaleAgeMs: grantChecks.grantCheckMaxAgeMs,
      // Any other refusal is cheap, and a forged token must not occupy memory.
      retryAfterMs: (error) => (error === this.#revoked ? REVOKED_RETRY_MS : 0),
      maxEntries: maxTokens,
      isRemoval: (error) => error instanceof OAuthError,
      now,
    })
  }

  /** Returns a token whose cached verification and grant check are still current. */
  cached(text: string): VerifiedToken | undefined {
    return this.#tokens.fresh(text)
  }

  /**
   * Returns the token, verified and its grant checked at most `grantCheckMaxAgeMs` ago.
   *
   * @param request a lower age, and where a check that is repeated after the response is kept
   * @throws {OAuthError} `invalid_token`; any other error means that the token cannot be checked now
   */
  async find(text: string, request?: CacheRequest): Promise<VerifiedToken> {
    const found = await this.#tokens.get(text, request)
    // A check that another request has begun can end after the token.
    if (found.verified.expiresAt <= this.#options.now()) {
      throw invalidToken('The access token has expired')
    }
    return found
  }

  evict({ grantId, subject }: TokenSelection): void {
    this.#tokens.invalidate(
      ({ token }) =>
        (grantId === undefined || token.grantId === grantId) &&
        (subject === undefined || token.subject === subject),
    )
  }

  async #verifyAndCheck(
    text: string,
    previous: CachedToken | undefined,
  ): Promise<CacheEntry<CachedToken>> {
    const { verify, checkGrant, grantChecks, now } = this.#options
    // The grant may end while its status is on the way, so the check is as old as its request.
    const loadedAt = now()
    const isVerified = previous !== undefined && loadedAt < previous.verifiedUntil
    const verified = isVerified ? previous.verified : await verify(text)
    const verifiedUntil = isVerified
      ? previous.verifiedUntil
      : Math.min(verified.expiresAt, loadedAt + REVERIFY_MS)
    const checked = await this.#checkGrant(verified)
    const { grantCheckFreshMs, grantCheckMaxAgeMs } = grantChecks
    const freshMs = checkGrant ? Math.min(grantCheckFreshMs, grantCheckMaxAgeMs) : REVERIFY_MS
    const freshUntil = Math.min(verifiedUntil, loadedAt + freshMs)
    const value = { ...checked, verified, verifiedUntil }
    return { value, loadedAt, freshUntil, usableUntil: verified.expiresAt }
  }

  async #checkGrant(token: AccessToken): Promise<VerifiedToken> {
    const { checkGrant } = this.#options
    if (checkGrant === undefined) return { token, props: undefined }
    const status = await withDeadline(GRANT_CHECK_TIMEOUT_MS, checkGrant(token), () => {
      throw new Error('The grant could not be checked in time')
    })
    if (status.active !== true) throw this.#revoked
    const { props, scopes, definitionVersion, validFrom } = status
    return { token: limited(token, scopes), props: deepFreeze(props), definitionVersion, validFrom }
  }
}

function limited(token: AccessToken, scopes: ReadonlySet<string> | undefined): AccessToken {
  if (scopes === undefined) return token
  return { ...token, scopes: Object.freeze(token.scopes.filter((scope) => scopes.has(scope))) }
}

/** In milliseconds. With 0 as the maximum, every request waits for a check. */
export interface GrantCheckAges {
  /** A younger check is used. An older one is used too, and repeated after the response. Default 20 s. */
  readonly grantCheckFreshMs: number
  /**
   * A request waits for a new check when the last one has this age. A revoked token may still be
   * accepted for this long. Default 30 s.
   */
  readonly grantCheckMaxAgeMs: number
}

export const DEFAULT_GRANT_CHECK_AGES: GrantCheckAges = {
  grantCheckFreshMs: 20_000,
  grantCheckMaxAgeMs: 30_000,
}
