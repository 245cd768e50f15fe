/** The port of connections over the namespace of their objects. */

import type {
  ConnectionStore,
  PersonConnections,
  Used,
} from '../../src/features/connections/store.ts'
import { LruMap } from '../../src/platform/lru-map.ts'
import type { ObjectsOfKind } from '../../src/ports/objects.ts'
import { personDigest } from '../../src/protocol/principal.ts'
import { callerOf } from '../object-call.ts'
import type { ConnectionsObject } from './connections-object.ts'

/** Longer than a renewal, in which a service is asked twice. */
const CALL_TIMEOUT_MS = 25_000

/** What one isolate keeps, and how long: an account that was ended elsewhere is used and listed no longer than this. */
const MAX_ENTRIES = 1_000
const KEPT_MS = 20_000

/** A token with less time left is asked for again. */
const MARGIN_MS = 60_000

interface KnownToken {
  readonly used: Extract<Used, { kind: 'token' }>
  readonly until: number
}

interface KnownLabels {
  readonly labels: Awaited<ReturnType<PersonConnections['labels']>>
  readonly until: number
}

export function createConnectionStore(
  namespace: ObjectsOfKind<ConnectionsObject>,
): ConnectionStore {
  const call = callerOf(namespace)
  const tokens = new LruMap<KnownToken>(MAX_ENTRIES)
  const lists = new LruMap<KnownLabels>(MAX_ENTRIES)
  return {
    of(person) {
      const name = () => personDigest(person)
      const change = async <T>(
        work: (object: Parameters<Parameters<typeof call<T>>[1]>[0]) => Promise<T>,
      ) => {
        const result = await call(await name(), work, CALL_TIMEOUT_MS)
        tokens.clear()
        lists.clear()
        return result
      }
      return {
        async use(use) {
          const key = JSON.stringify([person.issuer, person.subject, use])
          const known = tokens.get(key)
          if (known !== undefined && known.until > Date.now()) return known.used
          const used = await call(
            await name(),
            (object) => object.use(person, use),
            CALL_TIMEOUT_MS,
          )
          if (used.kind === 'token' && use.refused === undefined) {
            const until = Math.min(
              Date.now() + KEPT_MS,
              (used.expiresAt ?? Number.POSITIVE_INFINITY) - MARGIN_MS,
            )
            tokens.set(key, { used, until })
          } else tokens.clear()
          return used
        },
        async labels(client) {
          const key = JSON.stringify([person.issuer, person.subject, client])
          const known = lists.get(key)
          if (known !== undefined && known.until > Date.now()) return known.labels
          const labels = await call(await name(), (object) => object.labels(client))
          lists.set(key, { labels, until: Date.now() + KEPT_MS })
          return labels
        },
        ask: async (visit) => call(await name(), (object) => object.ask(visit)),
        visit: async (id) => call(await name(), (object) => object.visit(id)),
        admit: (visit, key) => change((object) => object.admit(visit, key)),
        admitApp: (app, accounts) => change((object) => object.admitApp(app, accounts)),
        connect: (visit, account) => change((object) => object.connect(person, visit, account)),
        settle: async (visit, end, as) =>
          call(await name(), (object) => object.settle(visit, end, as)),
        list: async () => call(await name(), (object) => object.list()),
        change: (key, changed) => change((object) => object.change(key, changed)),
        end: (key) => change((object) => object.end(person, key)),
        dismiss: (client) => change((object) => object.dismiss(client)),
        erase: () => change((object) => object.erase(person)),
      }
    },
  }
}
