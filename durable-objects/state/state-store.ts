/** The port of state over the namespace of the state objects. */
import type { StateStore } from '../../src/ports/state-store.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { McpState } from './state-object.ts'

export type StateNamespace = ObjectNamespace<Pick<McpState, 'read' | 'write' | 'delete' | 'erase'>>

export function createStateStore(namespace: StateNamespace): StateStore {
  return {
    // A call that was repeated has the same operation, so it takes effect once.
    of: (owner) => ({
      read: (name) => callObject(async () => namespace.getByName(owner).read(name)),
      write: (name, write) => callObject(async () => namespace.getByName(owner).write(name, write)),
      delete: (name, operation) =>
        callObject(async () => namespace.getByName(owner).delete(name, operation)),
    }),
    erase: (owner) => callObject(async () => namespace.getByName(owner).erase()),
  }
}
