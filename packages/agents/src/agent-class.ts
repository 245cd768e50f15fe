/** An agent as Edgeway creates it. `mcp-agent.ts` is its base. */

import type { MaybePromise } from '../../../src/platform/maybe-promise.ts'
import type { AnyServer } from '../../../src/server/mcp-server.ts'
import type { AgentContext } from './agent-base.ts'
import type { AgentOptions } from './agent-options.ts'

export interface Agent {
  props?: object | undefined
  readonly server: MaybePromise<AnyServer>
  init(): void | Promise<void>
}

export interface AgentClass {
  new (ctx: AgentContext, env: unknown): Agent
  readonly edgeway: AgentOptions
}
