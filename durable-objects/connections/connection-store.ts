/** The port of connections over the namespace of their objects. */

import type {
  AccountChange,
  App,
  ConnectionStore,
  NewAccount,
  NewVisit,
  Person,
  PersonConnections,
  ShownAccount,
  Use,
  Used,
  VisitEnd,
} from '../../src/features/connections/store.ts'
import { LruMap } from '../../src/platform/lru-map.ts'
import type { CallsOf, ObjectsOfKind } from '../../src/ports/objects.ts'
import { personDigest } from '../../src/protocol/principal.ts'
import { type CallByName, callerOf } from '../object-call.ts'
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
  const isolate = {
    call: callerOf(namespace),
    tokens: new LruMap<KnownToken>(MAX_ENTRIES),
    lists: new LruMap<KnownLabels>(MAX_ENTRIES),
  }
  return { of: (person) => new PersonStore(person, isolate) }
}

interface Isolate {
  readonly call: CallByName<CallsOf<ConnectionsObject>>
  readonly tokens: LruMap<KnownToken>
  readonly lists: LruMap<KnownLabels>
}

/** A class, because each call of a tool creates one, and a call with a known token needs one method. */
class PersonStore implements PersonConnections {
  readonly #person: Person
  readonly #isolate: Isolate

  constructor(person: Person, isolate: Isolate) {
    this.#person = person
    this.#isolate = isolate
  }

  async use(use: Use): Promise<Used> {
    const { tokens } = this.#isolate
    const key = this.#keyOf(use)
    const known = tokens.get(key)
    if (known !== undefined && known.until > Date.now()) return known.used
    const used = await this.#call((object) => object.use(this.#person, use), CALL_TIMEOUT_MS)
    if (used.kind === 'token' && use.refused === undefined) {
      const endsAt = (used.expiresAt ?? Number.POSITIVE_INFINITY) - MARGIN_MS
      tokens.set(key, { used, until: Math.min(Date.now() + KEPT_MS, endsAt) })
    } else tokens.clear()
    return used
  }

  async labels(client: string) {
    const { lists } = this.#isolate
    const key = this.#keyOf(client)
    const known = lists.get(key)
    if (known !== undefined && known.until > Date.now()) return known.labels
    const labels = await this.#call((object) => object.labels(client))
    lists.set(key, { labels, until: Date.now() + KEPT_MS })
    return labels
  }

  ask(visit: NewVisit) {
    return this.#call((object) => object.ask(visit))
  }

  visit(id: string) {
    return this.#call((object) => object.visit(id))
  }

  admit(visit: string, key: string) {
    return this.#change((object) => object.admit(visit, key))
  }

  admitApp(app: App, accounts: readonly ShownAccount[]) {
    return this.#change((object) => object.admitApp(app, accounts))
  }

  connect(visit: string, account: NewAccount) {
    return this.#change((object) => object.connect(this.#person, visit, account))
  }

  settle(visit: string, end: VisitEnd, as?: string) {
    return this.#call((object) => object.settle(visit, end, as))
  }

  list() {
    return this.#call((object) => object.list())
  }

  change(key: string, change: AccountChange) {
    return this.#change((object) => object.change(key, change))
  }

  end(key: string) {
    return this.#change((object) => object.end(this.#person, key))
  }

  dismiss(client: string) {
    return this.#change((object) => object.dismiss(client))
  }

  erase() {
    return this.#change((object) => object.erase(this.#person))
  }

  #keyOf(what: unknown): string {
    const { issuer, subject } = this.#person
    return JSON.stringify([issuer, subject, what])
  }

  async #call<T>(
    work: (object: CallsOf<ConnectionsObject>) => Promise<T>,
    timeoutMs?: number,
  ): Promise<T> {
    return this.#isolate.call(await personDigest(this.#person), work, timeoutMs)
  }

  async #change<T>(work: (object: CallsOf<ConnectionsObject>) => Promise<T>): Promise<T> {
    const result = await this.#call(work, CALL_TIMEOUT_MS)
    this.#isolate.tokens.clear()
    this.#isolate.lists.clear()
    return result
  }
}
