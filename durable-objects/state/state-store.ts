/** The port of state over the namespace of the state objects. */
import type { ObjectsOfKind } from '../../src/ports/objects.ts'
import type { StateStore } from '../../src/ports/state-store.ts'
import { callerOf } from '../object-call.ts'
import type { StateObject } from './state-object.ts'

export function createStateStore(namespace: ObjectsOfKind<StateObject>): StateStore {
  const call = callerOf(namespace)
  return {
    // A call that was repeated has the same operation, so it takes effect once.
    of: (owner) => ({
      read: (name) => call(owner, (state) => state.read(name)),
      write: (name, write) => call(owner, (state) => state.write(name, write)),
      delete: (name, operation) => call(owner, (state) => state.delete(name, operation)),
    }),
    erase: (owner) => call(owner, (state) => state.erase()),
  }
}
