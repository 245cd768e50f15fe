/** MCP Events: what a server declares, its event types, and the three modes in which they reach a client. */
import { type DeliveryMode, EVENTS_EXTENSION } from '../../../../../../src/protocol/events.ts'
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import type { Members } from '../../../../../text/src/json/members.ts'
import { HANDSHAKE_REVISIONS } from '../../clients.ts'
import { type Endpoint, sendInitialize, sendInSession, sendModern } from '../../mcp/endpoint.ts'
import type { Send } from '../../mcp/rpc.ts'
import { type ListObservation, readPages } from '../lists.ts'
import { type ModernObservation, modernCapabilities } from '../modern.ts'
import {
  endSession,
  handshakeOf,
  negotiatedCapabilities,
  type SessionObservation,
} from '../session.ts'
import { type EventType, eventTypesOf, typeFor } from './event-types.ts'
import { type PollObservation, probePoll } from './poll.ts'
import { type PushObservation, type PushProbeOptions, probePush } from './push.ts'
import { probeWebhook, type WebhookObservation, type WebhookProbeOptions } from './webhook.ts'

export interface EventsObservation {
  /** Each answer with capabilities, and whether the two places where clients look have an object. */
  readonly declared: readonly DeclaredEvents[]
  readonly list: ListObservation
  readonly poll?: PollObservation | undefined
  readonly push?: PushObservation | undefined
  readonly webhook?: WebhookObservation | undefined
  /** The modes that some type offers, and that no type offers without required arguments of unknown meaning. */
  readonly untestable: readonly DeliveryMode[]
}

export interface DeclaredEvents {
  readonly by: 'server/discover' | 'initialize'
  /** `capabilities.events`. */
  readonly key: unknown
  /** The settings of the extension. */
  readonly extension: unknown
}

/** With `active`, subscriptions are made too. */
export type EventProbeOptions = PushProbeOptions & WebhookProbeOptions

/** Undefined for a server that does not declare events. */
export async function probeEvents(
  endpoint: Endpoint,
  modern: ModernObservation,
  session: SessionObservation,
  options: EventProbeOptions,
): Promise<EventsObservation | undefined> {
  const declared = declarationsOf(modern, session)
  if (declared.every(({ key, extension }) => key === undefined && extension === undefined)) {
    return undefined
  }
  if (modernCapabilities(modern.discover) !== undefined) {
    const send: Send = (method, params) => sendModern(endpoint, method, params)
    return probeModes(endpoint, send, declared, { ...options, hasPush: true })
  }
  const handshake = handshakeOf(await sendInitialize(endpoint, HANDSHAKE_REVISIONS[0] ?? ''))
  if (handshake === undefined) return undefined
  const send: Send = (method, params) => sendInSession(endpoint, handshake, method, params)
  try {
    return await probeModes(endpoint, send, declared, { ...options, hasPush: false })
  } finally {
    await endSession(endpoint, handshake)
  }
}

async function probeModes(
  endpoint: Endpoint,
  send: Send,
  declared: readonly DeclaredEvents[],
  // `events/stream` is a method of the modern revision alone.
  options: EventProbeOptions & { readonly hasPush: boolean },
): Promise<EventsObservation> {
  const list = {
    method: 'events/list',
    member: 'events',
    ...(await readPages(send, 'events/list')),
  }
  const types = eventTypesOf(list)
  const untestable = MODES.filter(
    (mode) => offers(types, mode) && typeFor(types, mode) === undefined,
  )
  const observed = { declared, list, untestable }
  if (types.length === 0) return observed
  const poll = await probePoll(send, types)
  const [push, webhook] = await Promise.all([
    options.hasPush ? probePush(endpoint, types, options) : undefined,
    options.active ? probeWebhook(send, types, options) : undefined,
  ])
  return { ...observed, poll, push, webhook }
}

const MODES: readonly DeliveryMode[] = ['poll', 'push', 'webhook']

const offers = (types: readonly EventType[], mode: DeliveryMode) =>
  types.some(({ delivery }) => delivery.includes(mode))

function declarationsOf(
  { discover }: ModernObservation,
  { initialize }: SessionObservation,
): readonly DeclaredEvents[] {
  const found = modernCapabilities(discover)
  const negotiated = negotiatedCapabilities(initialize)
  return [
    ...(found === undefined ? [] : [declaration('server/discover', found)]),
    ...(negotiated === undefined ? [] : [declaration('initialize', negotiated)]),
  ]
}

function declaration(by: DeclaredEvents['by'], capabilities: Members): DeclaredEvents {
  const { events: key, extensions } = capabilities
  return { by, key, extension: isJsonObject(extensions) ? extensions[EVENTS_EXTENSION] : undefined }
}
