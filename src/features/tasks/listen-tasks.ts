/**
 * The tasks that a listener asks for: those of its principal, and their states.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md#task-status-notifications
 */

import type { JsonObject } from '../../protocol/json.ts'
import { metaOf, readModernMeta } from '../../protocol/meta.ts'
import { MODERN } from '../../protocol/revisions.ts'
import { declaresTasks, isOverStatus } from '../../protocol/tasks.ts'
import type { FindListenedTasks } from '../../transport/extensions.ts'
import { Refusal } from '../../transport/refusal.ts'
import { taskBody } from './methods.ts'
import { findTaskName, taskPrincipal } from './task-ids.ts'
import { tasksNeeded } from './task-only.ts'

/**
 * Finds the tasks of a filter, and lets their objects publish their changes. An id that is unknown, of
 * another principal, or of a tool that the caller may not call, is left out. Undefined when the filter
 * asks for no tasks.
 *
 * @throws {Refusal} for a client that does not declare tasks
 */
export const findListened: FindListenedTasks = async (
  { services, endpoint, auth, dispatchers },
  message,
  taskIds,
  mayAccess,
  until,
) => {
  // A server without such tools ignores the member, as any that it does not know.
  const { methods, definition } = dispatchers.under(MODERN)
  if (taskIds === undefined || !methods.has('tasks/get')) return undefined
  const { clientCapabilities } = readModernMeta(metaOf(message.params))
  if (!declaresTasks(clientCapabilities)) {
    const what = 'Notifications of tasks need'
    const { message: text, data } = tasksNeeded(what, definition)
    throw new Refusal('capability-missing', text, { id: message.id, data })
  }
  const tasks = services.tasks()
  const sealer = services.sealer()
  if (tasks === undefined || sealer === undefined)
    return { names: new Map(), stateOf: async () => undefined }
  const principal = await taskPrincipal(auth)
  const names = new Map<string, string>()
  const find = async (taskId: string) => {
    const name = await findTaskName(sealer, endpoint.audience, principal, taskId)
    if (name === undefined) return
    const watched = await tasks.watch(name, until)
    if (watched !== undefined && mayAccess(watched)) names.set(name, taskId)
  }
  await Promise.all(taskIds.map(find))
  const codec = endpoint.codecOf(MODERN)
  /** The version of each task that was sent last, so that none is sent twice or out of order. */
  const versions = new Map<string, number>()
  return {
    names,
    stateOf: async (name) => {
      const snapshot = await tasks.read(name)
      const last = versions.get(name) ?? -1
      if (snapshot === undefined || snapshot.version <= last || !mayAccess(snapshot))
        return undefined
      versions.set(
        name,
        isOverStatus(snapshot.status) ? Number.POSITIVE_INFINITY : snapshot.version,
      )
      return taskBody(snapshot, codec) as JsonObject
    },
  }
}
