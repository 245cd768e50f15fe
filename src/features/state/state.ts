/** `state()`: `ctx.state`, values by handle, by key of the session and by key of the principal. */

import { StateObject } from '../../../durable-objects/state/state-object.ts'
import { createStateStore } from '../../../durable-objects/state/state-store.ts'
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { resolveLimits } from '../../platform/limits.ts'
import { HEALTH_NAME } from '../../ports/health.ts'
import type { StateContext } from '../../server/state.ts'
import { asks } from '../asks/asks.ts'
import { operationsOf } from '../asks/run-round.ts'
import { createState } from './context-state.ts'
import { DEFAULT_STATE_LIMITS, type StateLimits } from './state-limits.ts'

export interface StateOptions extends Partial<StateLimits> {}

/** A row of an object holds 2 MB. */
const MAX_BYTES = 1024 * 1024

export type State = Feature<'state', object, 'state' | 'asks'>

/** Stores JSON values of handlers. @throws {TypeError} for an invalid option */
export function state(options: StateOptions = {}): State {
  const limits = resolveLimits('state', DEFAULT_STATE_LIMITS, options, { bytes: MAX_BYTES })
  return createFeature('state', (app) => createParts(app, limits), [asks()])
}

function createParts(app: AppContext, limits: StateLimits): FeatureParts {
  const stateOf = (run: HandlerRun): StateContext =>
    createState(run.call, operationsOf(run), limits)
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
