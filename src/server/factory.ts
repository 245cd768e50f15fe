/** The types of factories: definitions that depend on the caller. `../dispatch/definitions.ts` calls them. */

import type { MaybePromise } from '../platform/maybe-promise.ts'
import type { AuthInfo, GrantProps } from '../protocol/auth-info.ts'
import type { FactoryParams } from '../protocol/factory-params.ts'
import type { NoMembers } from './context.ts'
import type { DefaultEnv } from './default-env.ts'
import type { McpServer, ServerSource } from './mcp-server.ts'

/** Everything that a definition may depend on. */
export interface FactoryContext<Env = DefaultEnv, Props = GrantProps> {
  /** The Worker's bindings. */
  readonly env: Env
  /** The verified caller; undefined on a server without authorization. */
  readonly auth: AuthInfo<Props> | undefined
  /** The values of the path pattern and of the named query parameters that are present. */
  readonly params: FactoryParams
}

/** {@link FactoryContext} of a definition that serves one request alone. Internal: not part of the public API. */
export interface RequestFactoryContext extends FactoryContext<unknown> {
  /** As it arrived. Undefined for a definition that other requests share. */
  readonly request?: Request
}

/**
 * Builds the definition of one caller. Its result serves this caller, with these params, until it is
 * evicted or `definitionMaxAgeMs` old; a session object builds its own. It is called again in every
 * isolate and after every change of the caller's scopes or props, so it must not have effects.
 */
export type ServerFactory<Env = DefaultEnv, Props = GrantProps, Members = NoMembers> = (
  context: FactoryContext<Env, Props>,
  // biome-ignore lint/suspicious/noExplicitAny: handlers consume these types, so `unknown` excludes every server
) => MaybePromise<McpServer<any, any, Members, any> | ServerSource>
