/** The event subscriptions of the principals of a person. `packages/events/src/objects` keeps them. */
import type { GrantSummary } from '../../ports/grant.ts'
import type { SubscriptionView } from '../../ports/subscriptions.ts'
import { type Principal, principalDigests } from '../../protocol/principal.ts'
import type { AuthorizationServer } from './authorization-server.ts'

type Server = Pick<AuthorizationServer, 'subscriptions' | 'report'>

/** The principals of a subject at resources. The issuer of a token is the origin of its resource. */
export function principalsOf(subject: string, resources: readonly string[]): readonly Principal[] {
  return resources.map((resource) => ({ issuer: new URL(resource).origin, subject, resource }))
}

/**
 * Ends the subscriptions of the callers of a grant that was revoked. A failure is reported: it must not look as if the
 * revocation had failed, and the next delivery finds that the access has ended.
 */
export async function endGrantSubscriptions(
  { subscriptions, report }: Server,
  principals: readonly Principal[],
  grant: string,
): Promise<void> {
  try {
    await subscriptions?.end(await principalDigests(principals), 'access_ended', { grant })
  } catch (error) {
    report({ type: 'internal-error', error })
  }
}

/** The subscriptions of a person, for the account page. Without those that cannot be read now. */
export async function subscriptionsOf(
  server: AuthorizationServer,
  subject: string,
  grants: readonly GrantSummary[],
): Promise<readonly SubscriptionView[]> {
  if (server.subscriptions === undefined) return []
  try {
    const principals = principalsAt(server, subject, grants)
    return await server.subscriptions.list(await principalDigests(principals))
  } catch (error) {
    server.report({ type: 'internal-error', error })
    return []
  }
}

/** The principals of a person: at every resource of this issuer, and at those of its grants. */
export function principalsAt(
  { resources }: AuthorizationServer,
  subject: string,
  grants: readonly GrantSummary[],
): readonly Principal[] {
  return principalsOf(
    subject,
    [...resources.single, ...grants].map(({ resource }) => resource),
  )
}
