/** The Durable Object classes of an app, which the author's Worker exports. */
import { UnusedAccount } from '../../durable-objects/account/unused-account.ts'
import { McpHub } from '../../durable-objects/hub/hub-object.ts'
import { McpKeyring } from '../../durable-objects/keyring/keyring-object.ts'
import { createSessionClass } from '../../durable-objects/session/session-object.ts'
import { McpState } from '../../durable-objects/state/state-object.ts'
import { createTaskClass } from '../../durable-objects/task/task-object.ts'
import type { AuthConfig, AuthGate } from '../auth/auth-config.ts'
import type { EmbeddedAuth } from '../embedded.ts'
import type { Services } from '../ports/services.ts'
import type { Limits } from '../transport/limits.ts'

type SessionContext = Parameters<typeof createSessionClass>[0]

interface ObjectContext extends Pick<SessionContext, 'server' | 'codecOf' | 'deploymentOf'> {
  readonly limits: Limits
  readonly auth: AuthConfig | EmbeddedAuth | undefined
  readonly gate: AuthGate | undefined
  readonly servicesOf: (env: unknown) => Services
}

export function createObjectClasses({ auth, gate, servicesOf, ...served }: ObjectContext) {
  const runs = {
    ...served,
    renewCaller: gate?.renewCaller,
    allowsAnonymous: auth?.allowsAnonymous === true,
  }
  return {
    McpHub,
    McpKeyring,
    McpSession: createSessionClass({
      ...runs,
      terminateIn: (env) => servicesOf(env).sessions()?.terminate,
    }),
    McpTask: createTaskClass(runs),
    McpState,
    McpAccount: auth !== undefined && 'McpAccount' in auth ? auth.McpAccount : UnusedAccount,
  }
}
