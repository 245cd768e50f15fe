/** A log for one test, with objects of principals that record what they accept. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { valid } from '../../../../src/platform/result.ts'
import type { AppObjects } from '../../../../src/ports/objects.ts'
import type { TelemetryEvent } from '../../../../src/ports/telemetry.ts'
import { HOUR_MS } from '../../../../test/durable-objects/fake-clock.ts'
import {
  type EventLogObject,
  type LogWorld,
  worlds,
} from '../../../../test/support/event-log-object.ts'
import type { CompiledEventType } from '../../src/compiled-event-type.ts'
import { createEventObjects } from '../../src/objects/event-objects.ts'
import { type EventLimits, resolveEventLimits } from '../../src/objects/event-settings.ts'
import { nameBeforeRows } from '../../src/objects/log/read-log.ts'
import { logKey } from '../../src/objects/object-keys.ts'
import type {
  HandedPage,
  LogName,
  LogQuery,
  LogStart,
  NewOccurrence,
  Registration,
} from '../../src/objects/port.ts'

export const TYPE = 'note.changed'
export const NAME: LogName = { type: TYPE, subject: undefined }
export const FROM_NOW: LogStart = { after: undefined, maxAgeMs: undefined }

/** An event type whose occurrences match the subscriptions with the same members. */
export function eventType(changed: Partial<CompiledEventType> = {}): CompiledEventType {
  return {
    name: TYPE,
    delivery: ['poll', 'push', 'webhook'],
    historyMs: 24 * HOUR_MS,
    isPersonal: false,
    scopes: [],
    visible: undefined,
    checkArguments: () => undefined,
    acceptsData: () => true,
    readData: (data) => valid(data as Record<string, never>),
    authorize: () => true,
    matches: (args, data) => Object.entries(args).every(([name, value]) => data[name] === value),
    transform: (data) => data,
    upstream: undefined,
    ...changed,
  }
}

/** A server whose objects are these logs. */
export function objectsOf(logs: { named(key: string): unknown }): AppObjects {
  return { of: () => logs as never }
}

interface LogOptions {
  readonly type?: Partial<CompiledEventType>
  readonly limits?: Partial<EventLimits>
  readonly accept?: LogWorld['accept']
}

export interface Accepted {
  readonly principal: string
  readonly page: HandedPage
}

export async function openLog({ type, limits, accept }: LogOptions = {}, name: LogName = NAME) {
  const id = crypto.randomUUID()
  const accepted: Accepted[] = []
  const reports: TelemetryEvent[] = []
  const types = new Map([[TYPE, eventType(type)]])
  const world: LogWorld = {
    types,
    settings: { limits: resolveEventLimits(limits), callbacks: {}, allowsNoExpiry: false },
    reports,
    accept: async (principal, page, ctx) => {
      const gone = await (accept?.(principal, page, ctx) ?? [])
      accepted.push({ principal, page })
      return gone
    },
  }
  worlds.set(id, world)
  const stubOf = (key: string) => env.EVENT_LOG.getByName(`${id}/${key}`)
  const key = await logKey(name)
  /** A new one each time: that of a killed object stays broken. */
  const stub = () => stubOf(key)
  const objects = createEventObjects(objectsOf({ named: stubOf }))
  let emitted = 0
  return {
    /** The logs by their keys. */
    stubOf,
    objects,
    get stub() {
      return stub()
    },
    /** Before the first event. */
    get beginning() {
      return { log: nameBeforeRows(stub()), position: 0 }
    },
    types,
    reports,
    accepted,
    emit: (data: object = {}, changed: Partial<NewOccurrence> = {}) => {
      emitted += 1
      return objects.emit(name, {
        eventId: `e${emitted}`,
        timestamp: new Date().toISOString(),
        data: JSON.stringify(data),
        subject: undefined,
        ...changed,
      })
    },
    read: (query: Partial<LogQuery> = {}) =>
      objects.read(name, { ...FROM_NOW, subject: undefined, limit: 100, ...query }),
    /** Emits so many events in one call. */
    emitAll: (count: number, first = 0, data: object = {}, subject?: string) =>
      runInDurableObject(stub(), async (object: EventLogObject) => {
        for (let n = first + 1; n <= first + count; n++) {
          const timestamp = new Date().toISOString()
          const text = JSON.stringify(data)
          await object.emit(name, { eventId: `a${n}`, timestamp, data: text, subject })
        }
      }),
    /** @param subscription the name of the principal, and a number for its second one */
    register: async (subscription: string, changed?: Partial<Registration>) => {
      const registered = await stub().register(name, registrationOf(subscription, changed))
      if (registered === 'full') throw new Error('The principal has started too many listeners')
      return registered
    },
    /** In one call. */
    registerAll: (subscriptions: readonly Registration[]) =>
      runInDurableObject(stub(), async (object: EventLogObject) => {
        for (const each of subscriptions) await object.register(name, each)
      }),
    unregister: (subscription: string) => stub().unregister(name, subscription),
    evict: () => evictDurableObject(stub()),
    alarmAt: () => runInDurableObject(stub(), (_, { storage }) => storage.getAlarm()),
    rows: <T>(query: string) =>
      runInDurableObject(stub(), (_, { storage: { sql } }) => sql.exec(query).toArray() as T[]),
    /** Positions that each subscription has accepted, in their order. */
    received: () => {
      const byId: Record<string, number[]> = {}
      for (const { page } of accepted) {
        for (const { occurrence, subscriptions } of page.entries) {
          for (const each of subscriptions) {
            byId[each] = [...(byId[each] ?? []), occurrence.position]
          }
        }
      }
      return byId
    },
    /** Runs the alarm while it is due by the clock of the test. Returns how often. */
    async runDue(): Promise<number> {
      for (let runs = 0; runs < 100; runs++) {
        const at = await runInDurableObject(stub(), (_, { storage }) => storage.getAlarm())
        if (at === null || at > Date.now()) return runs
        await runDurableObjectAlarm(stub())
      }
      throw new Error('The alarm is due in a loop')
    },
  }
}

export function registrationOf(
  subscription: string,
  changed: Partial<Registration> = {},
): Registration {
  return {
    id: subscription,
    principal: subscription.replace(/\d+$/, ''),
    subject: undefined,
    arguments: '{}',
    start: FROM_NOW,
    ...changed,
  }
}

export type TestLog = Awaited<ReturnType<typeof openLog>>
