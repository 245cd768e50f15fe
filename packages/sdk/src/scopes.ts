/** The scopes that a registration requires: `scopes`, and `scopeChallenge` of the SDK 2.x. */
import { notCarried } from './not-carried.ts'

/** What {@link requireScopes} returns. A function that decides in each call is not carried. */
export interface ScopeChallengeHandler {
  readonly requiredScopes: readonly string[]
}

/** The members of a configuration that restrict access. */
export interface RequiredScopes {
  /** Scopes that the access token must have. Checked before the handler runs. */
  scopes?: readonly string[] | undefined
  /** {@link requireScopes} (SDK 2.x), which is the same as `scopes`. */
  scopeChallenge?: ScopeChallengeHandler | undefined
}

/** Requires all of these scopes (SDK 2.x): `scopeChallenge: requireScopes('write')`. */
export function requireScopes(...scopes: readonly [string, ...string[]]): ScopeChallengeHandler {
  return { requiredScopes: scopes }
}

/**
 * Returns all scopes that a registration requires.
 *
 * @throws {TypeError} for a function, because a registration that loses it would be open to every caller
 */
export function scopesOf(
  subject: string,
  { scopes = [], scopeChallenge }: RequiredScopes,
): readonly string[] {
  if (scopeChallenge === undefined) return scopes
  if (!Array.isArray(scopeChallenge?.requiredScopes)) {
    throw notCarried(
      `${subject}: scopeChallenge cannot decide in each call: use scopeChallenge: requireScopes('…'), or check extra.authInfo.scopes in the handler.`,
      'authorization',
    )
  }
  return [...scopes, ...scopeChallenge.requiredScopes]
}
