/** The store of the inspector: one log object for each server. */
import type { TrafficPage, TrafficStore } from '../../src/ports/traffic.ts'
import type { LogRpc } from '../log/log-object.ts'
import { trafficName } from '../log/object-names.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'

type TrafficRpc = Pick<LogRpc, 'trafficLease' | 'recordTraffic' | 'readTraffic' | 'leaveTraffic'>

export type TrafficNamespace = ObjectNamespace<TrafficRpc>

/** The keyring, in which an earlier version has stored entries. They live for an hour. */
export type EarlierTrafficNamespace = ObjectNamespace<{
  readTraffic(request: { readonly after: number }): Promise<TrafficPage>
}>

/** Time that a read may take besides its wait. */
const READ_TIMEOUT_MS = 10_000

/**
 * @param server the audience of the server whose traffic it is
 * @param keyring undefined where it is not bound
 */
export function createTrafficStore(
  namespace: TrafficNamespace,
  server: string,
  keyring: EarlierTrafficNamespace | undefined,
): TrafficStore {
  const object = () => namespace.getByName(trafficName(server))
  let earlier = keyring
  return {
    lease: () => callObject(async () => object().trafficLease()),
    append: (entries) => callObject(async () => object().recordTraffic(entries)),
    async read(request) {
      const { after } = request
      if (earlier !== undefined && after !== undefined) {
        const old = earlier.getByName(trafficName(server))
        const page = await callObject(async () => old.readTraffic({ after }))
        // Their numbers are smaller than those of all entries in the log.
        if (page.entries.length > 0) return page
        // No version adds entries to it any more.
        earlier = undefined
      }
      return callObject(async () => object().readTraffic(request), request.waitMs + READ_TIMEOUT_MS)
    },
    leave: (watcher) => callObject(async () => object().leaveTraffic(watcher)),
  }
}
