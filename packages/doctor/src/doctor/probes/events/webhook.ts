/** `events/subscribe`: what must be refused, then one subscription from its challenge to its end. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type EventReceiver,
  isChallenge,
  type ReceivedEvent,
  startConnectionCounter,
  startEventReceiver,
} from '../../http/event-receiver.ts'
import type { RpcReply, Send } from '../../mcp/rpc.ts'
import { isEventError } from './event-errors.ts'
import { type EventType, typeFor, typeWithout } from './event-types.ts'
import { type RefusedRequest, UNKNOWN_TYPE } from './refused-request.ts'

export interface WebhookObservation {
  readonly type?: string
  readonly refused: readonly RefusedRequest[]
  /** Callbacks that are no hosts on the internet. */
  readonly unroutable: readonly UnroutableCallback[]
  /** The answer to a caller who may not subscribe: nothing else was sent. */
  readonly forbidden?: RpcReply
  /** Undefined where the server cannot reach the receiver of the doctor. */
  readonly subscription?: SubscriptionObservation
  /** Why there is no subscription. */
  readonly notRun?: 'no-callback' | 'port-in-use' | 'local-callback-refused'
}

export interface UnroutableCallback {
  readonly url: string
  readonly reply: RpcReply
  /** Connections to it, where it is on this computer. */
  readonly connections: number
}

export interface SubscriptionObservation {
  readonly type: string
  readonly secret: string
  readonly subscribed: RpcReply
  /** The same again, where it was subscribed. */
  readonly refreshed?: RpcReply
  /** What the receiver got before the answer, and until the end. */
  readonly received: readonly ReceivedEvent[]
  readonly challengesBefore: number
  /** A subscription whose challenge was answered with another one. */
  readonly wrongEcho?: RpcReply
  readonly unsubscribed?: RpcReply
  /** Deliveries that began after it. */
  readonly afterEnd: number
  readonly unknown?: RpcReply
  readonly waitedMs: number
  readonly isLocal: boolean
}

export interface WebhookProbeOptions {
  /** How long deliveries are waited for. */
  readonly eventWaitMs: number
  /** The URL that leads to the receiver of the doctor. */
  readonly callback?: URL | undefined
  /** The port of this computer that the callback leads to. */
  readonly callbackPort?: number | undefined
  /** Whether the server runs on this computer, so that it can reach a receiver here. */
  readonly isLocal: boolean
}

/** The port that `--callback` leads to, unless another is named. */
export const CALLBACK_PORT = 8976

/** A delivery that was sent when the subscription ended may arrive so much later. */
const IN_FLIGHT_MS = 250
const AFTER_END_MS = 1000

interface Target {
  readonly name: string
  readonly arguments: object
}

export async function probeWebhook(
  send: Send,
  types: readonly EventType[],
  options: WebhookProbeOptions,
): Promise<WebhookObservation | undefined> {
  const type = typeFor(types, 'webhook')
  const other = typeWithout(types, 'webhook')
  if (type === undefined) return undefined
  const target: Target = { name: type.name, arguments: type.arguments }
  const subscribe: Subscribe = (url, secret, more = target) =>
    send('events/subscribe', { ...more, delivery: { mode: 'webhook', url, secret }, cursor: null })
  const unsubscribe = (url: string, more: object = target) =>
    send('events/unsubscribe', { ...more, delivery: { mode: 'webhook', url } })
  /** Sends what should be refused, and ends a subscription that was made nevertheless. */
  const attempt: Subscribe = async (url, secret, more) => {
    const reply = await subscribe(url, secret, more)
    if (reply.kind === 'result') await unsubscribe(url, more)
    return reply
  }
  const refused: RefusedRequest[] = []
  const refuse = async (
    what: string,
    expected: RefusedRequest['expected'],
    ...request: Parameters<Subscribe>
  ) => {
    const reply = await attempt(...request)
    refused.push({ what, expected, reply })
    return reply
  }
  // The host does not exist, and the server must not look for it.
  const nowhere = `https://edgeway-doctor.invalid/${randomBytes(8).toString('hex')}`
  const first = await refuse(
    'events/subscribe without a secret',
    'InvalidParams',
    nowhere,
    undefined,
  )
  if (isEventError(first, 'Forbidden')) {
    return { type: type.name, refused: [], unroutable: [], forbidden: first }
  }
  const bad = (what: string, secret: string) =>
    refuse(`events/subscribe with ${what}`, 'InvalidParams', nowhere, secret)
  await bad('a secret without the prefix whsec_', randomBytes(32).toString('base64'))
  await bad('a secret of 8 bytes', `whsec_${randomBytes(8).toString('base64')}`)
  const plain = nowhere.replace('https:', 'http:')
  await refuse('events/subscribe with an http URL', 'InvalidParams', plain, newSecret())
  const unknown = { name: UNKNOWN_TYPE, arguments: {} }
  await refuse('events/subscribe to an unknown type', 'NotFound', nowhere, newSecret(), unknown)
  if (other !== undefined) {
    const args = { name: other.name, arguments: other.arguments ?? {} }
    const what = 'events/subscribe to a type without the mode webhook'
    await refuse(what, 'Unsupported', nowhere, newSecret(), args)
  }
  const unroutable = await probeUnroutable(attempt)
  const observed = { type: type.name, refused, unroutable }
  if (options.callback === undefined && !options.isLocal) {
    return { ...observed, notRun: 'no-callback' }
  }
  const receiver = await openReceiver(options)
  if (receiver === undefined) return { ...observed, notRun: 'port-in-use' }
  try {
    const requests = { subscribe, attempt, unsubscribe }
    const subscription = await probeSubscription(receiver, requests, options)
    if (isCallbackRefused(subscription) && options.callback === undefined) {
      return { ...observed, notRun: 'local-callback-refused' }
    }
    return { ...observed, subscription: { ...subscription, type: type.name } }
  } finally {
    receiver.close()
  }
}

type Subscribe = (url: string, secret: string | undefined, more?: object) => Promise<RpcReply>

interface SubscriptionRequests {
  readonly subscribe: Subscribe
  readonly attempt: Subscribe
  readonly unsubscribe: (url: string) => Promise<RpcReply>
}

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

async function probeUnroutable(attempt: Subscribe): Promise<readonly UnroutableCallback[]> {
  const counter = await startConnectionCounter()
  try {
    const seen: UnroutableCallback[] = []
    for (const host of [`127.0.0.1:${counter.port}`, '10.255.255.1', '[::ffff:192.168.255.1]']) {
      const url = `https://${host}/edgeway-doctor`
      const before = counter.count()
      const reply = await attempt(url, newSecret())
      seen.push({ url, reply, connections: counter.count() - before })
    }
    return seen
  } finally {
    counter.close()
  }
}

/** Undefined when another program has the port. */
async function openReceiver(options: WebhookProbeOptions): Promise<EventReceiver | undefined> {
  const { callback: base, callbackPort = portOf(base) } = options
  try {
    return await startEventReceiver({ base, port: callbackPort, wrong: [WRONG] })
  } catch {
    return undefined
  }
}

function portOf(base: URL | undefined): number {
  if (base === undefined) return 0
  return base.protocol === 'http:' ? Number(base.port || 80) : CALLBACK_PORT
}

const RIGHT = 'events'
const WRONG = 'wrong-challenge'
const NEVER = 'never'

async function probeSubscription(
  receiver: EventReceiver,
  { subscribe, attempt, unsubscribe }: SubscriptionRequests,
  { eventWaitMs, isLocal, callback }: WebhookProbeOptions,
): Promise<Omit<SubscriptionObservation, 'type'>> {
  const url = receiver.callback(RIGHT).href
  const secret = newSecret()
  const startedAt = Date.now()
  const subscribed = await subscribe(url, secret)
  const observed = { secret, subscribed, isLocal: isLocal && callback === undefined }
  const isSubscribed = subscribed.kind === 'result'
  const challengesBefore = receiver.received(RIGHT).filter(({ value }) => isChallenge(value)).length
  if (!isSubscribed) {
    const received = receiver.received(RIGHT)
    return { ...observed, received, challengesBefore, afterEnd: 0, waitedMs: 0 }
  }
  const refreshed = await subscribe(url, secret)
  const wrongEcho =
    challengesBefore === 0 ? undefined : await attempt(receiver.callback(WRONG).href, newSecret())
  await receiver.waitForDelivery(RIGHT, eventWaitMs)
  const unsubscribed = await unsubscribe(url)
  const endedAt = Date.now()
  await sleep(AFTER_END_MS)
  const received = receiver.received(RIGHT)
  const afterEnd = received.filter(({ at }) => at > endedAt + IN_FLIGHT_MS).length
  const unknown = await unsubscribe(receiver.callback(NEVER).href)
  return {
    ...observed,
    refreshed,
    received,
    challengesBefore,
    ...(wrongEcho && { wrongEcho }),
    unsubscribed,
    afterEnd,
    unknown,
    waitedMs: endedAt - startedAt,
  }
}

/** A correct server connects to no address of its own network. */
function isCallbackRefused({
  subscribed,
  received,
}: Pick<SubscriptionObservation, 'subscribed' | 'received'>): boolean {
  const isRefused =
    isEventError(subscribed, 'InvalidParams') || isEventError(subscribed, 'CallbackEndpointError')
  return isRefused && received.length === 0
}
