/**
 * A webhook delivery as its receiver reads and verifies it. What the receiver then answers is in `event-receiver.ts`.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { tryParseJson } from '../../../src/platform/try-parse.ts'
import { type EventOccurrence, MAX_EVENT_BYTES } from '../../../src/protocol/events.ts'
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'

/** How far the clock of a sender may differ, in seconds. */
const FRESH_SECONDS = 300

const ENVELOPES = ['verification', 'gap', 'terminated'] as const

export type DeliveryKind = 'event' | (typeof ENVELOPES)[number]

export interface Delivery {
  /** Undefined for a request that is none of them. */
  readonly kind: DeliveryKind | undefined
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** The body exactly as it was received. */
  readonly body: string
  /** Of an event. */
  readonly event: EventOccurrence | undefined
  /** Of a control envelope: the whole body. */
  readonly envelope: JsonObject | undefined
  /** `webhook-id`. */
  readonly id: string | undefined
  /** `X-MCP-Subscription-Id`. */
  readonly subscriptionId: string | undefined
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** The secrets of the receiver with which the request is signed: two while a secret is being replaced. */
  readonly verifiedBy: readonly string[]
}

/** Why a request is refused. */
export interface DeliveryProblem {
  readonly status: number
  readonly text: string
}

export async function readDelivery(
  request: Request,
  secrets: readonly string[],
  receivedAt: number,
): Promise<Delivery> {
  const { method, url, headers } = request
  const bytes = new Uint8Array(await request.arrayBuffer())
  const body = new TextDecoder().decode(bytes)
  const value = tryParseJson(body)
  const json = isJsonObject(value) ? value : undefined
  const kind = json && kindOf(json)
  return {
    kind,
    method,
    url,
    headers: new Headers(headers),
    body,
    event: kind === 'event' ? (json as unknown as EventOccurrence) : undefined,
    envelope: kind !== 'event' && kind !== undefined ? json : undefined,
    id: headers.get('webhook-id') ?? undefined,
    subscriptionId: headers.get('x-mcp-subscription-id') ?? undefined,
    receivedAt,
    verifiedBy: await signersOf(headers, bytes, secrets),
  }
}

/** A body with a `type` is a control envelope, and one without is an event. */
function kindOf(json: JsonObject): DeliveryKind | undefined {
  if (json.type !== undefined) return ENVELOPES.find((type) => type === json.type)
  const { eventId, name, timestamp, data } = json
  const isEvent = [eventId, name, timestamp].every((text) => typeof text === 'string')
  return isEvent && isJsonObject(data) ? 'event' : undefined
}

/** The secrets of which the request has a signature. Compares in constant time. */
async function signersOf(
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
): Promise<string[]> {
  const head = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.`
  const content = new Blob([head, body])
  const signed = await content.arrayBuffer()
  const signatures = (headers.get('webhook-signature') ?? '')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => decode(signature.slice('v1,'.length)))
  const signers: string[] = []
  for (const secret of secrets) {
    const raw = decode(secret.slice('whsec_'.length))
    // Nothing can be signed with a secret that is none, such as one that the server is to refuse.
    if (raw.length === 0) continue
    const key = await crypto.subtle.importKey(
      'raw',
      raw,
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    )
    const checks = signatures.map((value) => crypto.subtle.verify('HMAC', key, value, signed))
    if ((await Promise.all(checks)).includes(true)) signers.push(secret)
  }
  return signers
}

/** Returns no bytes for text that is not base64. */
function decode(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

/** Undefined for a request that the receiver accepts. */
export function problemOf(delivery: Delivery): DeliveryProblem | undefined {
  const { method, headers, body, kind, id = '', event, verifiedBy, receivedAt } = delivery
  const refuse = (status: number, text: string) => ({ status, text })
  if (method !== 'POST') return refuse(405, 'The method is not POST')
  if (!/^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')) {
    return refuse(415, 'The body is not application/json')
  }
  if (new TextEncoder().encode(body).byteLength > MAX_EVENT_BYTES) {
    return refuse(413, `The body is longer than ${MAX_EVENT_BYTES} bytes`)
  }
  const timestamp = headers.get('webhook-timestamp') ?? ''
  if (!/^\d{1,12}$/.test(timestamp)) return refuse(401, 'webhook-timestamp is not Unix seconds')
  if (Math.abs(receivedAt / 1000 - Number(timestamp)) > FRESH_SECONDS) {
    return refuse(401, 'webhook-timestamp is not fresh')
  }
  if (verifiedBy.length === 0) return refuse(401, 'No signature is valid')
  if (kind === undefined) return refuse(400, 'The body is neither an event nor a control envelope')
  if (delivery.subscriptionId === undefined) return refuse(400, 'X-MCP-Subscription-Id is missing')
  if (event !== undefined && id !== event.eventId) {
    return refuse(400, 'webhook-id is not the id of the event')
  }
  if (event === undefined && !id.startsWith(`msg_${kind}_`)) {
    return refuse(400, `webhook-id does not begin with msg_${kind}_`)
  }
  return undefined
}
