/** The tasks port over the namespace of the task objects. */
import type { Tasks } from '../../src/ports/tasks.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { TaskIndex } from './task-index.ts'
import type { TaskRpc } from './task-object.ts'

export type TaskNamespace = ObjectNamespace<TaskRpc>

/** How much longer than the wait itself its RPC may take. */
const WAIT_MARGIN_MS = 5_000

/** @param server that the calls belong to, from `serverText` */
export function createTasks(namespace: TaskNamespace, index: TaskIndex, server?: string): Tasks {
  return {
    // Not repeated when the object was reset: a call that answers by itself must run once.
    start: async ({ request, ...start }) => {
      const text = JSON.stringify({ ...start, request: { ...request, server } })
      return namespace.getByName(request.name).start(text)
    },
    read: (name) => callObject(async () => namespace.getByName(name).read(server)),
    wait: (name, version, timeoutMs, takesMessages = false) =>
      callObject(
        async () => namespace.getByName(name).wait(version, timeoutMs, server, takesMessages),
        timeoutMs + WAIT_MARGIN_MS,
      ),
    markReturned: (name, at) =>
      callObject(async () => namespace.getByName(name).markReturned(at, server)),
    update: (name, responses, refusals = {}) => {
      const texts = [JSON.stringify(responses), JSON.stringify(refusals)] as const
      return callObject(async () => namespace.getByName(name).update(...texts, server))
    },
    follow: (name, follower) => {
      const text = JSON.stringify(follower)
      return callObject(async () => namespace.getByName(name).follow(text, server))
    },
    cancel: (name) => callObject(async () => namespace.getByName(name).cancel(server)),
    erase: async (subject, name) => {
      const isErased = await callObject(async () => namespace.getByName(name).erase(server))
      if (isErased) await index.leaveSubject(subject, name)
      return isErased
    },
    deliver: (name, key, value) => {
      const text = JSON.stringify(value)
      return callObject(async () => namespace.getByName(name).deliver(key, text, server))
    },
    deliveryRefusal: (name, key) =>
      callObject(async () => namespace.getByName(name).deliveryRefusal(key, server)),
    enterInbox: (name, holder, ...bounds) => index.enterInbox(holder, name, ...bounds),
    openInbox: (name, expiresAt) =>
      callObject(async () => namespace.getByName(name).openInbox(expiresAt, server)),
    receive: (name, event, timeoutMs) => {
      const text = JSON.stringify(event)
      return callObject(
        async () => namespace.getByName(name).receive(text, timeoutMs, server),
        timeoutMs + WAIT_MARGIN_MS,
      )
    },
    closeInbox: async (name, holder) => {
      // Each happens although the other fails: an inbox that is not closed expires, as a place that is not freed.
      await Promise.allSettled([
        callObject(async () => namespace.getByName(name).closeInbox(server)),
        index.freeInbox(holder, name),
      ])
    },
    watch: (name, until) => callObject(async () => namespace.getByName(name).watch(until, server)),
    list: (...query) => index.list(...query),
  }
}
