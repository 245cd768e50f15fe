/** `state()`: `ctx.state`, values by handle, by key of the session and by key of the principal. */

import { StateObject } from '../../../durable-objects/state/state-object.ts'
import { createStateStore } from '../../../durable-objects/state/state-store.ts'
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { HEALTH_NAME } from '../../ports/health.ts'
import type { StateContext } from '../../server/state.ts'
import { asks } from '../asks/asks.ts'
import { operationsOf } from '../asks/run-round.ts'
import { createState } from './context-state.ts'

export type State = Feature<'state', object, 'state' | 'asks'>

/** Stores JSON values of handlers. */
export function state(): State {
  return createFeature('state', createParts, [asks()])
}

const stateOf = (run: HandlerRun): StateContext => createState(run.call, operationsOf(run))

function createParts(app: AppContext): FeatureParts {
  return {
    parts: { state: { create: (state, env) => new StateObject(state, env) } },
    health: {
      part: 'state',
      call: (objects) => objects.of<StateObject>('state')?.named(HEALTH_NAME).read(HEALTH_NAME),
    },
    services: {
      state: (bindings) => {
        const objects = app.objectsIn(bindings).of<StateObject>('state')
        return objects && createStateStore(objects)
      },
    },
    dispatch: { context: { state: (run) => run.part(stateOf) } },
  }
}
