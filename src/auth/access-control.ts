/** What the operator and the author's code do with the accounts of `embedded()`: end access, and change definitions. */

import type { AuthGate, AuthGateContext } from '../feature/auth-config.ts'
import type { AccessControl } from '../ports/access-control.ts'
import { REVOCATION_MARGIN_MS } from '../ports/revocations.ts'
import type { BuiltParts } from './auth-gate.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { type EmbeddedServers, originsIn, type ServicesOf } from './embedded-servers.ts'
import type { AuthFeatures } from './feature/install-auth-features.ts'
import { resolveAuthLimits } from './server/auth-limits.ts'
import { endGrantSubscriptions, principalsOf as principalsAt } from './server/subscriptions.ts'

/** Each operation that ends or changes something evicts it from the caches of this isolate too. */
export function createAccessControl(
  { paths, report }: Pick<AuthGateContext, 'paths' | 'report'>,
  options: EmbeddedOptions,
  servicesOf: ServicesOf,
  features: Pick<AuthFeatures, 'erase'>,
  { evict }: BuiltParts<EmbeddedServers>,
): Required<Pick<AuthGate, 'access' | 'changeDefinition'>> {
  const { loginTtlMs } = resolveAuthLimits(options.limits)
  /** The first origin has the accounts of all, unless each has its own. */
  const accountsOf = (subject: string, env: unknown) => {
    const origins = originsIn(options, env) ?? ['']
    const apart = options.accountsPerOrigin === true ? origins : origins.slice(0, 1)
    return apart.map((origin) => servicesOf(env, origin).accounts.of(subject))
  }
  const grantsOf: AccessControl['grantsOf'] = async (subject, env) => {
    const lists = accountsOf(subject, env).map((account) =>
      account.listGrants({ personalTokens: true }),
    )
    return (await Promise.all(lists)).flat()
  }
  const principalsOf: AccessControl['principalsOf'] = async (subject, env) => {
    const origins = originsIn(options, env) ?? []
    const configured = origins.flatMap((origin) => paths.map((path) => `${origin}${path}`))
    const granted = (await grantsOf(subject, env)).map(({ resource }) => resource)
    return principalsAt(subject, [...new Set([...configured, ...granted])])
  }
  const access: AccessControl = {
    grantsOf,
    async revoked(env) {
      // Read past the cache of this isolate, so that its next check knows.
      await servicesOf(env, originsIn(options, env)?.[0] ?? '').signingKeys.revocations(0)
      evict(env, {})
    },
    async revokeGrant(subject, grantId, env) {
      const { subscriptions } = servicesOf(env, originsIn(options, env)?.[0] ?? '')
      // Read before the grant is gone, which names its resource.
      const principals = subscriptions === undefined ? [] : await principalsOf(subject, env)
      const revoked = accountsOf(subject, env).map((account) => account.revoke(grantId))
      const isRevoked = (await Promise.all(revoked)).includes(true)
      evict(env, { grantId })
      await endGrantSubscriptions({ subscriptions, report }, principals, grantId)
      return isRevoked
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
      const origins = erase ? (originsIn(options, env) ?? []) : []
      for (const issuer of origins) await features.erase({ issuer, subject }, env)
      evict(env, { subject })
      return ended
    },
    principalsOf,
  }
  return {
    access,
    // A person with an account at each of several origins is one subject for `notify`.
    async changeDefinition(subject, env) {
      const changes = accountsOf(subject, env).map((account) => account.changeDefinitionVersion())
      await Promise.all(changes)
      evict(env, { subject })
    },
  }
}
