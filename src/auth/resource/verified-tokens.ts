/** Access tokens that were verified a moment ago, so that a call need not pay for it again. */
import { OAuthError } from '../oauth-error.ts'
import { within } from '../within.ts'
import { type AccessToken, invalidToken } from './access-token.ts'
import { SingleFlight } from './single-flight.ts'

export type Props = { readonly [key: string]: unknown }

/** Whether what a token was issued under still stands. Throwing means that it cannot be told. */
export type CheckGrant = (
  token: AccessToken,
) => Promise<{ readonly active: boolean; readonly props?: Props | undefined }>

export interface VerifiedToken {
  readonly token: AccessToken
  /** Frozen throughout: requests share them. */
  readonly props: Props | undefined
}

export interface VerifiedTokensOptions {
  readonly verify: (token: string) => Promise<AccessToken>
  /** Undefined where tokens are good for as long as they say. */
  readonly checkGrant: CheckGrant | undefined
  /** At most between two looks at a grant, so how long a revoked one may still pass. */
  readonly grantCheckMs: number
  readonly maxTokens?: number
  readonly now: () => number
}

/** A key that an issuer has withdrawn opens nothing any more after this. */
const REVERIFY_MS = 5 * 60_000
const GRANT_CHECK_TIMEOUT_MS = 5_000
/** One call of an object, from wherever. */
const FOLLOW_TIMEOUT_MS = 500
const MAX_TOKENS = 1_000

interface Entry extends VerifiedToken {
  readonly checkedAt: number
  readonly goodUntil: number
}

/**
 * By the token itself: a digest costs more than the rest of a look-up, and the isolate holds live
 * tokens anyway. Only what has been verified gets in, so nobody can fill it with what they make up.
 */
export class VerifiedTokens {
  readonly #options: VerifiedTokensOptions
  readonly #entries = new Map<string, Entry>()
  readonly #work = new SingleFlight<Entry>(FOLLOW_TIMEOUT_MS)
  #forgotten = 0

  constructor(options: VerifiedTokensOptions) {
    this.#options = options
  }

  /** What is known of a token that was looked at a moment ago. */
  held(text: string): VerifiedToken | undefined {
    const entry = this.#entries.get(text)
    if (entry === undefined) return undefined
    const now = this.#options.now()
    const isFresh = now - entry.checkedAt < this.#options.grantCheckMs && now < entry.goodUntil
    return isFresh ? entry : undefined
  }

  /** @throws {OAuthError} `invalid_token`; anything else means that it cannot be told */
  find(text: string): Promise<VerifiedToken> {
    return this.#work.run(text, () => this.#admit(text))
  }

  /** Forgets what was issued under a grant that has ended. */
  forget(grantId: string): void {
    this.#forgotten += 1
    this.#work.detach()
    for (const [text, { token }] of this.#entries) {
      if (token.grantId === grantId) this.#entries.delete(text)
    }
  }

  async #admit(text: string): Promise<Entry> {
    const { verify, now } = this.#options
    const startedAt = now()
    const forgotten = this.#forgotten
    try {
      const known = this.#entries.get(text)
      const stands = known !== undefined && startedAt < known.goodUntil
      const token = stands ? known.token : await verify(text)
      const goodUntil = stands
        ? known.goodUntil
        : Math.min(token.expiresAt, startedAt + REVERIFY_MS)
      const props = await this.#check(token)
      // Of the time before the question: the grant may have ended while the answer was on its way.
      const entry = { token, props, checkedAt: startedAt, goodUntil }
      if (forgotten === this.#forgotten) this.#keep(text, entry)
      return entry
    } catch (error) {
      if (error instanceof OAuthError) this.#entries.delete(text)
      throw error
    }
  }

  async #check(token: AccessToken): Promise<Props | undefined> {
    const { checkGrant } = this.#options
    if (checkGrant === undefined) return undefined
    const status = await within(GRANT_CHECK_TIMEOUT_MS, checkGrant(token))
    if (status === undefined) throw new Error('The grant could not be looked at in time')
    if (status.active !== true) throw invalidToken('The access token has been revoked')
    return deepFreeze(status.props)
  }

  /** Moves to the end what is in use; the others go first when there are too many. */
  #keep(text: string, entry: Entry): void {
    const { maxTokens = MAX_TOKENS } = this.#options
    this.#entries.delete(text)
    const [oldest] = this.#entries.size < maxTokens ? [] : this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(text, entry)
  }
}

/** Only what JSON can hold is gone into: the rest cannot be frozen, or is not ours. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
