/** The object of a principal for one test, with its surroundings. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { type DurableObject, env } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import type { AuthInfo } from '../../../../src/protocol/auth-info.ts'
import { NOON } from '../../../../test/durable-objects/fake-clock.ts'
import type { EventLimits, EventSettings } from '../../src/objects/event-settings.ts'
import type {
  HandedOccurrence,
  SubscribeRequest,
  SubscriberRpc,
  SubscriptionKey,
} from '../../src/objects/port.ts'
import { echoOrAccept, type Received, World, worlds } from './subscriber-world.ts'

export const URL_A = 'https://hooks.example.org/a?key=%7e&x=1'
export const SECRET = `whsec_${btoa('a'.repeat(32))}`
export const OTHER_SECRET = `whsec_${btoa('b'.repeat(32))}`

export const ADA: AuthInfo = {
  subject: 'ada',
  clientId: 'client-1',
  scopes: ['read'],
  issuer: 'https://mcp.example.com',
  resource: 'https://mcp.example.com/mcp',
}

export const KEY: SubscriptionKey = { type: 'note.created', url: URL_A, arguments: '{"list":"a"}' }

export const REQUEST: SubscribeRequest = {
  ...KEY,
  subject: 'ada',
  caller: { auth: ADA, grant: undefined },
  secret: SECRET,
  profile: 'sketch',
  start: { after: undefined, maxAgeMs: undefined },
  ttlMs: undefined,
}

export const advance = (ms: number) => vi.setSystemTime(Date.now() + ms)

export function openSubscriber(
  limits: Partial<EventLimits> = {},
  settings: Partial<EventSettings> = {},
) {
  const name = `subscriber:${crypto.randomUUID()}`
  const world = new World(limits, settings)
  worlds.set(name, world)
  // A stub of an object that was killed stays broken.
  const stub = () =>
    env.SUBSCRIBER_OBJECT.getByName(name) as unknown as DurableObjectStub & SubscriberRpc
  const subscribe = (request: Partial<SubscribeRequest> = {}) =>
    stub().subscribe({ ...REQUEST, ...request })
  return {
    name,
    world,
    stub,
    subscribe,
    /** The message of the error with which a request rejects. Within the object, whose rejections are errors of the test. */
    rejected: () =>
      runInDurableObject(stub(), (instance) =>
        (instance as DurableObject & SubscriberRpc).subscribe(REQUEST).then(
          () => undefined,
          (error: Error) => error.message,
        ),
      ),
    /** @throws when the subscription is refused */
    subscribed: async (request: Partial<SubscribeRequest> = {}) => {
      const result = await subscribe(request)
      if (!result.ok) throw new Error(JSON.stringify(result.error))
      return result.value
    },
    unsubscribe: (key: Partial<SubscriptionKey> = {}) => stub().unsubscribe({ ...KEY, ...key }),
    /** Hands occurrences over, to all registrations that the log has. */
    hand: (positions: readonly number[], more: Partial<HandedOccurrence> = {}) =>
      stub().accept({
        name: { type: 'note.created', subject: undefined },
        log: world.logName,
        entries: positions.map((position) => ({
          occurrence: occurrence(position),
          subscriptions: [...world.registrations.keys()],
          ...more,
        })),
      }),
    alarm: () => runDurableObjectAlarm(stub()),
    evict: () => evictDurableObject(stub()),
    kill: () => runInDurableObject(stub(), (_, ctx) => ctx.abort('killed')).catch(() => undefined),
    alarmAt: () => runInDurableObject(stub(), (_, { storage }) => storage.getAlarm()),
    rows: (table: string) =>
      runInDurableObject(stub(), (_, { storage: { sql } }) =>
        sql.exec(`SELECT * FROM ${table}`).toArray(),
      ),
    query: (query: string) =>
      runInDurableObject(stub(), (_, { storage: { sql } }) => sql.exec(query).toArray()),
    /** The events that the callbacks have received, without challenges. */
    delivered: () => world.received.filter(({ message }) => message.eventId !== undefined),
    envelopes: (type: string) => world.received.filter(({ message }) => message.type === type),
  }
}

export type OpenSubscriber = ReturnType<typeof openSubscriber>

export function occurrence(position: number, data = `{"note":${position}}`) {
  return {
    position,
    eventId: `evt_${position}`,
    timestamp: new Date(NOON).toISOString(),
    data,
    subject: undefined,
  }
}

export const idsOf = (received: readonly Received[]) =>
  received.map(({ message }) => message.eventId)

/** Waits for a condition. The polls of vitest would move the clock. */
export async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 5_000 && !(await isMet()); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  expect(await isMet()).toBe(true)
}

/** Waits for so many outcomes of attempts. */
export async function settled({ world }: OpenSubscriber, outcomes: number): Promise<void> {
  await until(() => world.reasons('event-delivery').length >= outcomes)
  expect(world.reasons('event-delivery')).toHaveLength(outcomes)
}

export async function isSignedWith(received: Received, secret: string): Promise<boolean> {
  const { headers, body } = received
  const key = await crypto.subtle.importKey(
    'raw',
    Uint8Array.fromBase64(secret.slice('whsec_'.length)),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const base = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
  const signatures = (headers.get('webhook-signature') ?? '').split(' ')
  const verified = await Promise.all(
    signatures.map(async (signature) => {
      const [version, encoded = ''] = signature.split(',')
      const bytes = Uint8Array.fromBase64(encoded)
      const text = new TextEncoder().encode(base)
      return version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytes, text))
    }),
  )
  return verified.includes(true)
}

/** Answers to events that wait until the test opens them. */
export function heldAnswers() {
  const open = new Set<string>()
  return {
    open: (id: string) => open.add(id),
    answer: async (request: Received) => {
      const { eventId } = request.message
      while (eventId !== undefined && !open.has(eventId) && !open.has('all')) {
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      return echoOrAccept(request)
    },
  }
}
