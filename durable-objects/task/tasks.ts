/** The tasks port over the namespace of the task objects. */
import type { Tasks } from '../../src/ports/tasks.ts'
import { callerOf, type ObjectNamespace } from '../object-call.ts'
import type { TaskIndex } from './task-index.ts'
import type { TaskRpc } from './task-object.ts'

export type TaskNamespace = ObjectNamespace<TaskRpc>

/** How much longer than the wait itself its RPC may take. */
const WAIT_MARGIN_MS = 5_000

/** @param server that the calls belong to, from `serverText` */
export function createTasks(namespace: TaskNamespace, index: TaskIndex, server: string): Tasks {
  const call = callerOf(namespace)
  return {
    // Not repeated when the object was reset: a call that answers by itself must run once.
    start: async ({ request, ...start }) => {
      const text = JSON.stringify({ ...start, request: { ...request, server } })
      return namespace.getByName(request.name).start(text)
    },
    read: (name) => call(name, (task) => task.read(server)),
    wait: (name, version, timeoutMs, takesMessages = false) =>
      call(
        name,
        (task) => task.wait(version, timeoutMs, server, takesMessages),
        timeoutMs + WAIT_MARGIN_MS,
      ),
    markReturned: (name, at) => call(name, (task) => task.markReturned(at, server)),
    update: (name, responses, refusals = {}) => {
      const texts = [JSON.stringify(responses), JSON.stringify(refusals)] as const
      return call(name, (task) => task.update(...texts, server))
    },
    follow: (name, follower) => {
      const text = JSON.stringify(follower)
      return call(name, (task) => task.follow(text, server))
    },
    cancel: (name) => call(name, (task) => task.cancel(server)),
    erase: async (subject, name) => {
      const isErased = await call(name, (task) => task.erase(server))
      if (isErased) await index.leaveSubject(subject, name)
      return isErased
    },
    deliver: (name, key, value) => {
      const text = JSON.stringify(value)
      return call(name, (task) => task.deliver(key, text, server))
    },
    deliveryRefusal: (name, key) => call(name, (task) => task.deliveryRefusal(key, server)),
    enterInbox: (name, holder, ...bounds) => index.enterInbox(holder, name, ...bounds),
    openInbox: (name, expiresAt) => call(name, (inbox) => inbox.openInbox(expiresAt, server)),
    receive: (name, event, timeoutMs) => {
      const text = JSON.stringify(event)
      const receive = (inbox: TaskRpc) => inbox.receive(text, timeoutMs, server)
      return call(name, receive, timeoutMs + WAIT_MARGIN_MS)
    },
    closeInbox: async (name, holder) => {
      // Each happens although the other fails: an inbox that is not closed expires, as a place that is not freed.
      await Promise.allSettled([
        call(name, (inbox) => inbox.closeInbox(server)),
        index.freeInbox(holder, name),
      ])
    },
    watch: (name, until) => call(name, (task) => task.watch(until, server)),
    list: (...query) => index.list(...query),
  }
}
