/** `events/stream`: its first message, its heartbeats, its end, and requests that open no stream. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import { parseJson } from '../../../../../text/src/json/json-text.ts'
import type { Members } from '../../../../../text/src/json/members.ts'
import type { OpenedResponse } from '../../http/http-client.ts'
import { type Endpoint, modernRequest, sendModern } from '../../mcp/endpoint.ts'
import { type RpcReply, STANDARD_ACCEPT } from '../../mcp/rpc.ts'
import { type EventType, typeFor, typeWithout } from './event-types.ts'
import { type RefusedRequest, UNKNOWN_TYPE } from './refused-request.ts'

export interface PushObservation {
  readonly type?: string
  /** The answer, where it was no event stream. */
  readonly failed?: RpcReply
  readonly stream?: EventStreamObservation
  readonly refused: readonly RefusedRequest[]
}

export interface EventStreamObservation {
  /** The id of the request. */
  readonly id: string
  /** The beginning of what came, in order. `undefined` is no JSON. */
  readonly messages: readonly unknown[]
  /** Milliseconds until the first message; undefined if none came. */
  readonly firstAfterMs: number | undefined
  /** The longest time without a message. */
  readonly longestSilenceMs: number
  readonly watchedMs: number
  readonly comments: number
  readonly hasEnded: boolean
}

export interface PushProbeOptions {
  /** Whether heartbeats are waited for. */
  readonly active: boolean
  /** How long they are waited for. */
  readonly eventWaitMs: number
}

const MAX_MESSAGES = 100
const MAX_CHARACTERS = 4 * 1024 * 1024
/** How long a stream may take for its first message. */
const FIRST_MS = 5000
const REQUEST_ID = 'edgeway-doctor-stream-1'
const HEARTBEAT = 'notifications/events/heartbeat'

export async function probePush(
  endpoint: Endpoint,
  types: readonly EventType[],
  { active, eventWaitMs }: PushProbeOptions,
): Promise<PushObservation> {
  const type = typeFor(types, 'push')
  const refused: RefusedRequest[] = []
  const refuse = async (what: string, expected: RefusedRequest['expected'], params: Members) => {
    const reply = await sendModern(endpoint, 'events/stream', { cursor: null, ...params })
    refused.push({ what, expected, mayBeUnknown: type === undefined, reply })
  }
  const other = typeWithout(types, 'push')
  if (other !== undefined) {
    const args = { name: other.name, arguments: other.arguments ?? {} }
    await refuse('events/stream of a type without the mode push', 'Unsupported', args)
  }
  if (type === undefined) return { refused }
  await refuse('events/stream of an unknown type', 'NotFound', {
    name: UNKNOWN_TYPE,
    arguments: {},
  })
  const params = { name: type.name, arguments: type.arguments, cursor: null }
  const seen = await openStream(endpoint, params, active ? eventWaitMs : undefined)
  return { type: type.name, refused, ...seen }
}

async function openStream(
  endpoint: Endpoint,
  params: Members,
  heartbeatMs: number | undefined,
): Promise<Pick<PushObservation, 'failed' | 'stream'>> {
  const { message, headers } = modernRequest(endpoint, 'events/stream', params, REQUEST_ID)
  const response = await endpoint.http.open({
    method: 'POST',
    url: endpoint.url,
    headers: { 'content-type': 'application/json', accept: STANDARD_ACCEPT, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })
  const isStream =
    !('kind' in response) &&
    response.status === 200 &&
    (response.headers['content-type'] ?? '').includes('text/event-stream')
  if (isStream) return { stream: await watch(response, heartbeatMs) }
  if (!('kind' in response)) response.close()
  // Once more, as a request whose answer is read and classified.
  return { failed: await sendModern(endpoint, 'events/stream', params, REQUEST_ID) }
}

/** The watch ends at what it waits for: the first message, or a heartbeat. */
async function watch(
  { body, close }: OpenedResponse,
  heartbeatMs: number | undefined,
): Promise<EventStreamObservation> {
  const startedAt = Date.now()
  const messages: unknown[] = []
  const stop = new AbortController()
  let comments = 0
  let characters = 0
  let firstAfterMs: number | undefined
  let lastAt = startedAt
  let longestSilenceMs = 0
  let hasEnded = false
  const parser = createParser({
    onComment: () => {
      comments += 1
    },
    onEvent: ({ data }) => {
      const now = Date.now()
      firstAfterMs ??= now - startedAt
      longestSilenceMs = Math.max(longestSilenceMs, now - lastAt)
      lastAt = now
      const received = parseJson(data)
      messages.push(received)
      const isHeartbeat = isJsonObject(received) && received.method === HEARTBEAT
      const isEnough = heartbeatMs === undefined || isHeartbeat
      if (isEnough || messages.length === MAX_MESSAGES) stop.abort()
    },
  })
  const decoder = new TextDecoder()
  body.on('data', (chunk: Buffer) => {
    characters += chunk.length
    if (characters > MAX_CHARACTERS) stop.abort()
    if (!stop.signal.aborted) parser.feed(decoder.decode(chunk, { stream: true }))
  })
  const end = () => {
    hasEnded = true
    stop.abort()
  }
  body.on('end', end).on('error', end)
  await sleep(heartbeatMs ?? FIRST_MS, undefined, { signal: stop.signal }).catch(() => undefined)
  const endedAt = Date.now()
  if (!stop.signal.aborted) longestSilenceMs = Math.max(longestSilenceMs, endedAt - lastAt)
  close()
  const watchedMs = endedAt - startedAt
  return { id: REQUEST_ID, messages, firstAfterMs, longestSilenceMs, watchedMs, comments, hasEnded }
}
