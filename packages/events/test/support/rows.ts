/** What the tests of the conformance rows share: people, their clients and receivers, and the objects. */
// features: events
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { onTestFinished } from 'vitest'
import { principalDigest } from '../../../../src/protocol/principal.ts'
import { advanceClock } from '../../../../test/support/clock.ts'
import { inPart, objectsOfKind } from '../../../../test/support/objects.ts'
import { connectApp, type TestApp } from '../../../../test/support/test-app.ts'
import {
  connect,
  createEventReceiver,
  type EventReceiver,
  type EventStream,
  type McpError,
  type TestClient,
} from '../../../testing/src/index.ts'
import type { EventLog } from '../../src/objects/log/event-log.ts'
import { logKey } from '../../src/objects/object-keys.ts'
import type { Subscriber } from '../../src/objects/subscriber/subscriber.ts'
import { rowsApp, rowsEnv, rowsEvents } from './rows-server.ts'

/** The numbers of the sketch, which clients that do not declare the extension receive. */
export const CODES = {
  invalidParams: -32602,
  notFound: -32011,
  forbidden: -32012,
  resourceExhausted: -32013,
  unsupported: -32014,
  callbackEndpointError: -32015,
} as const

export interface Person {
  readonly subject: string
  readonly client: TestClient
  /** A filter that no other test uses. */
  readonly topic: string
}

const logs = objectsOfKind<EventLog>('log', 'rows')
const subscribers = objectsOfKind<Subscriber>('subscriber', 'rows')

/** The people of the test that runs. */
const present = new Set<string>()

/** A person with a client. @param token the subject, and the scopes of the token */
export async function person(token: string = crypto.randomUUID()): Promise<Person> {
  const client = await connect(rowsApp(), { env: rowsEnv, token })
  present.add(token)
  onTestFinished(async () => {
    present.delete(token)
    await client.close()
  })
  return { subject: token, client, topic: crypto.randomUUID() }
}

/** A receiver that the objects reach by the global `fetch`. */
export function receiver(url?: string): EventReceiver {
  const created = createEventReceiver(url === undefined ? {} : { url }).listen()
  onTestFinished(() => created.close())
  return created
}

/** A person whose receiver is subscribed to `rows.all`. */
export async function subscriber(type = 'rows.all') {
  const who = await person()
  const callback = receiver()
  const args = { topic: who.topic }
  const { id } = await who.client.events.subscribe(type, { callback, arguments: args })
  return { ...who, callback, id, args }
}

export async function openStream(
  { client, topic }: Pick<Person, 'client' | 'topic'>,
  type = 'rows.all',
  cursor: string | null = null,
): Promise<EventStream> {
  const stream = await client.events.stream(type, { arguments: { topic }, cursor })
  onTestFinished(() => stream.close())
  return stream
}

export function emit(topic: string, text: string, type = 'rows.all', eventId?: string) {
  const options = eventId === undefined ? {} : { eventId }
  return rowsEvents().emit(type, { topic, text }, options)
}

export async function emitAll(topic: string, texts: readonly string[], type = 'rows.all') {
  for (const text of texts) await emit(topic, text, type)
}

/** Emits so many events for one person, in one call of the log. */
export async function emitFor(subject: string, count: number, type: string) {
  const name = { type, subject: undefined }
  const log = logs.named(await logKey(name))
  const data = JSON.stringify({ topic: 'any', text: 'for another' })
  await inPart(log, async (part) => {
    for (let n = 0; n < count; n++) {
      const timestamp = new Date().toISOString()
      const occurrence = { eventId: crypto.randomUUID(), timestamp, data, subject }
      await part.emit(name, occurrence)
    }
  })
}

/** The texts of events of `rows.*`. */
export function textsOf(events: readonly { readonly data: object }[]): unknown[] {
  return events.map(({ data }) => (data as { readonly text: unknown }).text)
}

/** The raw app, with the token of a person. */
export function rawApp(): TestApp {
  return connectApp(rowsApp(), rowsEnv)
}

export function authorized(subject: string): Record<string, string> {
  return { authorization: `Bearer ${subject}` }
}

/** Whom the token of a person is for. */
export function principalOf(subject: string) {
  const issuer = 'https://rows.example.com'
  return { issuer, subject, resource: `${issuer}/mcp` }
}

/** The error that a request is refused with. */
export async function refusal(request: Promise<unknown>): Promise<McpError> {
  return request.then(
    () => {
      throw new Error('The request was served')
    },
    (error) => error,
  )
}

/**
 * Lets time pass for the objects: their clock moves, and what is due by then happens.
 *
 * @param type whose log it concerns: all files share the logs, and each has its own idea of the time
 */
export async function pass(ms: number, type = 'rows.all'): Promise<void> {
  advanceClock(ms)
  await runAlarms(type)
}

/** Runs the alarms of the objects until what one has caused at another is done too. */
export async function runAlarms(type = 'rows.all'): Promise<void> {
  const objects = await objectsOf(type)
  for (let round = 0; round < 3; round++) {
    for (const object of objects) await runDurableObjectAlarm(object)
    // An answer of a callback is stored after its receiver has recorded the request.
    await scheduler.wait(20)
  }
}

/** Restarts the objects: what is in memory is lost. */
export async function restart(type = 'rows.all'): Promise<void> {
  for (const object of await objectsOf(type)) {
    await runInDurableObject(object, () => undefined)
    await evictDurableObject(object)
  }
}

/** The log of a type, then the objects of the people of the test. */
async function objectsOf(type: string): Promise<DurableObjectStub[]> {
  const people = [...present].map(async (subject) =>
    subscribers.named(await principalDigest(principalOf(subject))),
  )
  return [logs.named(await logKey({ type, subject: undefined })), ...(await Promise.all(people))]
}
