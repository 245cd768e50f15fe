/** Runs a hook of the author. When it throws, the tokens are refused and the error goes to telemetry alone. */
import type { IssuedGrant } from '../../../ports/grant-tokens.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { OAuthError } from '../../oauth-error.ts'
import type { AuthorizationServer } from '../authorization-server.ts'
import type { AuthHooks, IssueEvent } from '../hooks.ts'

type HookedGrant = Pick<IssuedGrant, 'subject' | 'resource' | 'scopes' | 'props'> &
  Pick<IssueEvent, 'client'>

export async function runHook(
  { env, report }: AuthorizationServer,
  hook: AuthHooks['onIssue'],
  { subject, client, scopes, resource, props }: HookedGrant,
  onFailure: () => Promise<void>,
): Promise<{
  readonly claims: JsonObject
  readonly props: { readonly [key: string]: unknown } | undefined
}> {
  if (hook === undefined) return { claims: {}, props: undefined }
  try {
    const { id, name } = client
    const answer = await hook({ subject, client: { id, name }, scopes, resource, props, env })
    return { claims: answer.claims ?? {}, props: answer.props }
  } catch (error) {
    report({ type: 'internal-error', error })
    await onFailure()
    throw new OAuthError('invalid_grant', 'The grant was refused by the server', { cause: error })
  }
}
