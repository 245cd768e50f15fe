/** The author's functions that run before tokens are issued. */

import type { IssuedGrant } from '../../ports/grant-tokens.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationServer } from './authorization-server.ts'

/** The grant for which tokens are about to be issued. */
export interface IssueEvent {
  readonly subject: string
  readonly client: { readonly id: string; readonly name: string | undefined }
  readonly scopes: readonly string[]
  readonly resource: string
  /** The props of the login, or those that a hook returned last. */
  readonly props: { readonly [key: string]: unknown } | undefined
  /** The environment of the Worker. */
  readonly env: unknown
}

export interface IssueAnswer {
  /** Added to the access token, where the client can read them. They cannot replace registered claims. */
  readonly claims?: JsonObject
  /** Replace the props, which handlers read as `ctx.auth.props`. JSON, stored encrypted. Default: unchanged. */
  readonly props?: { readonly [key: string]: unknown }
}

export interface AuthHooks {
  /** Runs before the first tokens of a grant are issued. Throwing refuses and revokes the grant. */
  readonly onIssue?: (event: IssueEvent) => Promise<IssueAnswer> | IssueAnswer
  /** Runs before each refresh. Throwing refuses the refresh and leaves the grant unchanged. */
  readonly onRefresh?: (event: IssueEvent) => Promise<IssueAnswer> | IssueAnswer
}

type HookedGrant = Pick<IssuedGrant, 'subject' | 'resource' | 'scopes' | 'props'> &
  Pick<IssueEvent, 'client'>

/** Runs a hook of the author. When it throws, the tokens are refused and the error goes to telemetry alone. */
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
