/** `state()`: `ctx.state`, values by handle, by key of the session and by key of the principal. */

import { McpState } from '../../../durable-objects/state/state-object.ts'
import {
  createStateStore,
  type StateNamespace,
} from '../../../durable-objects/state/state-store.ts'
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { bindingOf } from '../../feature/binding.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { Feature, FeatureParts } from '../../feature/feature.ts'
import { HEALTH_NAME } from '../../ports/health.ts'
import type { StateContext } from '../../server/state.ts'
import { asks } from '../asks/asks.ts'
import { operationsOf } from '../asks/run-round.ts'
import { createState } from './context-state.ts'

export type State = Feature<'state', 'McpState' | 'McpKeyring', object>

/** Stores JSON values of handlers. Needs the binding `MCP_STATE`. */
export function state(): State {
  return createFeature('state', createParts, [asks()])
}

const stateOf = (run: HandlerRun): StateContext => createState(run.call, operationsOf(run))

function createParts(): FeatureParts<'McpState' | 'McpKeyring'> {
  return {
    objects: { McpState },
    bindings: ['MCP_STATE'],
    health: {
      part: 'state',
      call: (bindings) =>
        bindingOf<StateNamespace>(bindings, 'MCP_STATE')?.getByName(HEALTH_NAME).read(HEALTH_NAME),
    },
    services: {
      state: (bindings) => {
        const objects = bindingOf<StateNamespace>(bindings, 'MCP_STATE')
        return objects && createStateStore(objects)
      },
    },
    dispatch: { context: { state: (run) => run.part(stateOf) } },
  }
}
