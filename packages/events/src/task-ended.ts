/** The event type `task.ended`: the end of a task, for its owner. */

import {
  calledTools,
  type DefinedDeployment,
  type Extension,
  hasScopes,
  mayAccessTask,
  TASK_END,
} from '../../../src/internal.ts'
import { sha256Base64Url } from '../../../src/platform/digest.ts'
import { valid } from '../../../src/platform/result.ts'
import type { TaskAccess } from '../../../src/ports/tasks.ts'
import { DELIVERY_MODES } from '../../../src/protocol/events.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { EventDefinition } from './compile-event.ts'
import { type EmitContext, emitTo } from './emit.ts'
import { type EndedTask, TaskEnds } from './objects/task-ends.ts'

const NAME = 'task.ended'

const HISTORY_MS = 24 * 60 * 60_000

/** Written here instead of `defineEvent`: its data are those of the runtime, so an app needs no validator for them. */
const TYPE: EventDefinition = {
  name: NAME,
  descriptor: {
    name: NAME,
    description:
      'A long-running call of a tool (a task) that you have started has ended: completed, failed or cancelled. Read its result by its taskId.',
    delivery: DELIVERY_MODES,
    inputSchema: { type: 'object', additionalProperties: false },
    payloadSchema: {
      type: 'object',
      properties: {
        taskId: { type: 'string' },
        tool: { type: 'string' },
        status: { enum: ['completed', 'failed', 'cancelled'] },
        endedAt: { type: 'string', format: 'date-time' },
      },
      required: ['taskId', 'tool', 'status', 'endedAt'],
    },
  },
  delivery: DELIVERY_MODES,
  historyMs: HISTORY_MS,
  isPersonal: true,
  scopes: [],
  visible: undefined,
  upstream: undefined,
  checkArguments: (args) =>
    Object.keys(args).length === 0 ? undefined : 'this event type takes no arguments',
  readData: (data) => valid(data as JsonObject),
  acceptsData: () => true,
  authorize: () => true,
  matches: () => true,
  transform: ({ scopes: _, calls: __, ...data }) => data,
}

/**
 * The types of an app, with this one. A token may have the end of a task that it may see; of an app with a factory, the
 * scopes alone are known that the tool required.
 *
 * @throws {TypeError} when the author has a type of this name
 */
export function withTaskEnded(
  types: ReadonlyMap<string, EventDefinition>,
  deploymentOf: (env: unknown) => Pick<DefinedDeployment, 'definitions'>,
): ReadonlyMap<string, EventDefinition> {
  if (types.has(NAME)) throw new TypeError(`events({ taskEnds: true }) brings the type ${NAME}`)
  const isFor: EventDefinition['isFor'] = ({ tool, scopes = [], calls = [] }, { auth, env }) => {
    const access = { tool, scopes, calls } as unknown as TaskAccess
    const { shared } = deploymentOf(env).definitions
    if (shared !== undefined) return mayAccessTask(shared.definition, { access }, auth)
    return calledTools(access).every((called) => hasScopes(called, auth))
  }
  return new Map([...types, [NAME, { ...TYPE, isFor }]])
}

/** The part of the objects of tasks that emits it. A repeated attempt is the same occurrence. */
export function taskEnds(contextIn: (env: unknown) => EmitContext): Extension {
  const emit = async ({ taskId, access, status, endedAt, subject }: EndedTask, env: unknown) => {
    const timestamp = new Date(endedAt).toISOString()
    // The scopes and the calls are for `isFor` alone.
    const data = { taskId, ...access, status, endedAt: timestamp }
    const eventId = `task_${await sha256Base64Url(taskId)}`
    await emitTo(contextIn(env), NAME, data, { eventId, subject, timestamp })
  }
  return TASK_END.with((context) => new TaskEnds(context, emit))
}
