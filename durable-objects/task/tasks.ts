/** The tasks port over the namespace of the task objects. */
import type { CallsOf, ObjectsOfKind } from '../../src/ports/objects.ts'
import type { TaskLimits } from '../../src/ports/task-limits.ts'
import type { Tasks } from '../../src/ports/tasks.ts'
import { callerOf } from '../object-call.ts'
import type { TaskIndex } from './task-index.ts'
import type { TaskObject } from './task-object.ts'

/** How much longer than the wait itself its RPC may take. */
const WAIT_MARGIN_MS = 5_000

export function createTasks(
  namespace: ObjectsOfKind<TaskObject>,
  index: TaskIndex,
  limits: TaskLimits,
): Tasks {
  const call = callerOf(namespace)
  return {
    limits,
    // Not repeated when the object was reset: a call that answers by itself must run once.
    start: async (start) => namespace.named(start.request.name).start(JSON.stringify(start)),
    read: (name, isBrief = false) => call(name, (task) => task.read(isBrief)),
    wait: (name, version, timeoutMs, takesMessages = false) =>
      call(
        name,
        (task) => task.wait(version, timeoutMs, takesMessages),
        timeoutMs + WAIT_MARGIN_MS,
      ),
    markReturned: (name, at) => call(name, (task) => task.markReturned(at)),
    update: (name, responses, refusals = {}) => {
      const texts = [JSON.stringify(responses), JSON.stringify(refusals)] as const
      return call(name, (task) => task.update(...texts))
    },
    follow: (name, follower) => {
      const text = JSON.stringify(follower)
      return call(name, (task) => task.follow(text))
    },
    cancel: (name) => call(name, (task) => task.cancel()),
    erase: async (subject, name) => {
      const isErased = await call(name, (task) => task.erase())
      if (isErased) await index.leaveSubject(subject, name)
      return isErased
    },
    deliver: (name, key, value) => {
      const text = JSON.stringify(value)
      return call(name, (task) => task.deliver(key, text))
    },
    deliveryRefusal: (name, key) => call(name, (task) => task.deliveryRefusal(key)),
    enterInbox: (name, holder, expiresAt) =>
      index.enterInbox(holder, name, expiresAt, limits.perPrincipal),
    openInbox: (name, expiresAt) => call(name, (inbox) => inbox.openInbox(expiresAt)),
    receive: (name, event, timeoutMs) => {
      const text = JSON.stringify(event)
      const receive = (inbox: CallsOf<TaskObject>) => inbox.receive(text, timeoutMs)
      return call(name, receive, timeoutMs + WAIT_MARGIN_MS)
    },
    closeInbox: async (name, holder) => {
      // Each happens although the other fails: an inbox that is not closed expires, as a place that is not freed.
      await Promise.allSettled([
        call(name, (inbox) => inbox.closeInbox()),
        index.freeInbox(holder, name),
      ])
    },
    watch: (name, until) => call(name, (task) => task.watch(until)),
    list: (...query) => index.list(...query),
  }
}
