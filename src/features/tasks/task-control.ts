/** Implements `edgeway.tasks(env)`. */

import type { CallServices } from '../../dispatch/call.ts'
import { checkKey } from '../../dispatch/journal/journal.ts'
import { bound } from '../../feature/binding.ts'
import type { TaskSnapshot } from '../../ports/tasks.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { TaskControl, TaskInfo } from '../../server/task-control.ts'
import { deliveryError } from '../asks/delivery-error.ts'
import { jsonRpcErrorOf } from './task-error.ts'
import { openTaskId } from './task-ids.ts'
import { positionOf, readTaskPage } from './task-page.ts'

export function createTaskControl(services: CallServices, audience: string): TaskControl {
  const find = async (taskId: string): Promise<string | undefined> => {
    if (typeof taskId !== 'string') throw new TypeError('A task id is a string')
    return (await openTaskId(sealerOf(services), audience, taskId))?.name
  }
  return {
    deliver: async (taskId, key, value) => {
      checkKey(key)
      const json = toJson(value)
      const name = await find(taskId)
      if (name === undefined) throw deliveryError(key, { kind: 'unknown' })
      const delivery = await tasksOf(services).deliver(name, key, json)
      if (delivery.kind !== 'kept') throw deliveryError(key, delivery)
    },
    get: async (taskId) => {
      const name = await find(taskId)
      const found = name === undefined ? undefined : await tasksOf(services).read(name)
      return found && infoOf(found)
    },
    cancel: async (taskId) => {
      const name = await find(taskId)
      const cancelled = name === undefined ? undefined : await tasksOf(services).cancel(name)
      return cancelled && infoOf(cancelled)
    },
    list: async (subject, cursor) => {
      if (typeof subject !== 'string') throw new TypeError('A subject is a string')
      const tasks = tasksOf(services)
      const after = positionOf(cursor === undefined ? {} : { cursor })
      const { snapshots, nextCursor } = await readTaskPage(tasks, {
        subject,
        after,
        isBrief: false,
      })
      return { tasks: snapshots.map(infoOf), nextCursor }
    },
  }
}

const tasksOf = (services: CallServices) =>
  bound(services.tasks(), 'Tasks need the binding MCP_OBJECTS')

const sealerOf = (services: CallServices) =>
  bound(services.sealer(), 'Tasks need the binding MCP_OBJECTS or the secret EDGEWAY_SECRET')

function toJson(value: JsonValue): JsonValue {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError('The value of a delivery must be JSON')
  return JSON.parse(text)
}

function infoOf(snapshot: TaskSnapshot): TaskInfo {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs } = snapshot
  const { result, error } = snapshot
  return {
    taskId,
    status,
    statusMessage,
    createdAt,
    lastUpdatedAt,
    expiresAt: createdAt + ttlMs,
    ...(result === undefined ? undefined : { result }),
    ...(error === undefined ? undefined : { error: jsonRpcErrorOf(error) }),
  }
}
