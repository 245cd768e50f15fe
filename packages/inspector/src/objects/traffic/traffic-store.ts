/** The store of the inspector: one object for each server. */

import { callerOf } from '../../../../../src/internal.ts'
import type { ObjectsOfKind } from '../../../../../src/ports/objects.ts'
import type { TrafficStore } from './port.ts'
import type { TrafficObject } from './traffic-object.ts'

/** Time that a read may take besides its wait. */
const READ_TIMEOUT_MS = 10_000

/** The only object of its kind that a server has. */
const KEY = ''

export function createTrafficStore(objects: ObjectsOfKind<TrafficObject>): TrafficStore {
  const call = callerOf(objects)
  return {
    lease: () => call(KEY, (traffic) => traffic.lease()),
    append: (entries) => call(KEY, (traffic) => traffic.append(entries)),
    read: (request) =>
      call(KEY, (traffic) => traffic.read(request), request.waitMs + READ_TIMEOUT_MS),
    leave: (watcher) => call(KEY, (traffic) => traffic.leave(watcher)),
  }
}
