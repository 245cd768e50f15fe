/** What an operator does with the grants of `embedded()`. */

import type { AuthGateContext } from '../feature/auth-config.ts'
import type { AccessControl } from '../ports/access-control.ts'
import type { Accounts } from '../ports/accounts.ts'
import { REVOCATION_MARGIN_MS } from '../ports/revocations.ts'
import type { SigningKeys } from '../ports/signing-keys.ts'
import type { Origins } from '../security/configured-origins.ts'

interface AccessControlOptions {
  readonly loginTtlMs: number
  /** Whether a subject has an account of its own at each origin. */
  readonly isApart: boolean
}

export function createAccessControl(
  { paths }: Pick<AuthGateContext, 'paths'>,
  originsIn: (env: unknown) => Origins | undefined,
  servicesOf: (
    env: unknown,
    origin: string,
  ) => { readonly accounts: Accounts; readonly signingKeys: SigningKeys },
  { loginTtlMs, isApart }: AccessControlOptions,
): AccessControl {
  /** The first origin has the accounts of all, unless each has its own. */
  const accountsOf = (subject: string, env: unknown) => {
    const origins = originsIn(env) ?? ['']
    const apart = isApart ? origins : origins.slice(0, 1)
    return apart.map((origin) => servicesOf(env, origin).accounts.of(subject))
  }
  const grantsOf: AccessControl['grantsOf'] = async (subject, env) => {
    const lists = accountsOf(subject, env).map((account) =>
      account.listGrants({ personalTokens: true }),
    )
    return (await Promise.all(lists)).flat()
  }
  return {
    grantsOf,
    async revoked(env) {
      // Read past the cache of this isolate, so that its next check knows.
      await servicesOf(env, originsIn(env)?.[0] ?? '').signingKeys.revocations(0)
    },
    async revokeGrant(subject, grantId, env) {
      const revoked = accountsOf(subject, env).map((account) => account.revoke(grantId))
      return (await Promise.all(revoked)).includes(true)
    },
    async endAccess(subject, erase, env) {
      // The clock of the Worker that sealed a sign-in may be ahead.
      const signInsUntil = Date.now() + loginTtlMs + REVOCATION_MARGIN_MS
      const ended = { grants: 0, personalTokens: 0, consents: 0 }
      for (const account of accountsOf(subject, env)) {
        const own = await account.endAll(signInsUntil, erase)
        ended.grants += own.grants
        ended.personalTokens += own.personalTokens
        ended.consents += own.consents
      }
      return ended
    },
    async principalsOf(subject, env) {
      const origins = originsIn(env) ?? []
      const configured = origins.flatMap((origin) => paths.map((path) => `${origin}${path}`))
      const granted = (await grantsOf(subject, env)).map(({ resource }) => resource)
      // The issuer of a token is the origin of its resource.
      return [...new Set([...configured, ...granted])].map((resource) => ({
        issuer: new URL(resource).origin,
        subject,
        resource,
      }))
    },
  }
}
