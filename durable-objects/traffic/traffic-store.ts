/** The store of the inspector: one log object for each server. */
import type { TrafficStore } from '../../src/ports/traffic.ts'
import type { LogRpc } from '../log/log-object.ts'
import { trafficName } from '../log/object-names.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'

type TrafficRpc = Pick<LogRpc, 'trafficLease' | 'recordTraffic' | 'readTraffic' | 'leaveTraffic'>

export type TrafficNamespace = ObjectNamespace<TrafficRpc>

/** Time that a read may take besides its wait. */
const READ_TIMEOUT_MS = 10_000

/** @param server the audience of the server whose traffic it is */
export function createTrafficStore(namespace: TrafficNamespace, server: string): TrafficStore {
  const object = () => namespace.getByName(trafficName(server))
  return {
    lease: () => callObject(async () => object().trafficLease()),
    append: (entries) => callObject(async () => object().recordTraffic(entries)),
    read: (request) =>
      callObject(async () => object().readTraffic(request), request.waitMs + READ_TIMEOUT_MS),
    leave: (watcher) => callObject(async () => object().leaveTraffic(watcher)),
  }
}
