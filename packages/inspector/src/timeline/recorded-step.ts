/** Collects what is recorded of one request. `step-writer.ts` stores the result. */
import { readBoundedText } from '../../../../src/platform/bounded-body.ts'
import { clientNetwork } from '../../../../src/platform/client-network.ts'
import type { RequestMoment, RequestObserver } from '../../../../src/ports/request-observer.ts'
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import type { Details, StepEvent, TimelineStep } from '../objects/log/port.ts'
import { DOCUMENTS, documentDetails, headerDetails } from './details/answer-details.ts'
import { messageDetails } from './details/message-details.ts'
import { requestDetails, softwareOf, tokenRequestDetails } from './details/request-details.ts'
import type { Digest } from './digests.ts'
import { eventRefusal } from './event-refusals.ts'
import { printable, safeReason, safeUrl } from './safe-text.ts'
import type { RecordedPlace } from './step-kind.ts'

/** A document or a form that is longer is not read, in UTF-16 code units or bytes. */
const MAX_DOCUMENT_LENGTH = 64 * 1024

/** Events of one request. */
const MAX_EVENTS = 8

/** Stores the step of a request, which needs the digests of the deployment. */
export type WriteStep = (toStep: (digest: Digest) => Promise<TimelineStep>) => void

export class RecordedStep implements RequestObserver {
  readonly #request: Request
  readonly #place: RecordedPlace
  readonly #write: WriteStep
  readonly #at = Date.now()
  readonly #events: StepEvent[] = []
  #message: Details = {}
  #name: string | undefined
  #clientId: string | undefined
  #form: URLSearchParams | undefined

  constructor(request: Request, place: RecordedPlace, write: WriteStep) {
    this.#request = request
    this.#place = place
    this.#write = write
    if (place.kind === 'authorization') {
      this.#clientId = new URL(request.url).searchParams.get('client_id') ?? undefined
    }
  }

  observe(moment: RequestMoment): void {
    switch (moment.type) {
      case 'received':
        this.#message = messageDetails(moment.body, moment.version)
        if (!Array.isArray(moment.body)) this.#name = moment.client && printable(moment.client.name)
        break
      case 'subscribing': {
        const { event, refusal } = moment
        this.#message = {
          ...this.#message,
          // The name of a type of this server, and no text of the client.
          eventType: event || 'unknown',
          ...(refusal && { subscriptionRefused: refusal.reason }),
        }
        if (refusal !== undefined) this.#events.push(eventRefusal(refusal))
        break
      }
      case 'form':
        this.#form = moment.form
        break
      case 'identified':
        this.#clientId = moment.clientId
        break
      case 'answered': {
        const tookMs = Date.now() - this.#at
        // Other bodies are not read, and may be streams.
        const body = DOCUMENTS.includes(this.#place.kind) ? readDocument(moment.text()) : undefined
        const head = new Response(null, moment.response)
        const unread = this.#form ?? readUnreadForm(this.#request, this.#place)
        this.#write(async (digest) => {
          this.#form = await unread
          return this.#toStep(head, await body, tookMs, digest)
        })
        break
      }
      default: {
        const event = stepEventOf(moment)
        if (event !== undefined && this.#events.length < MAX_EVENTS) this.#events.push(event)
      }
    }
  }

  async #toStep(
    response: Response,
    body: JsonObject | undefined,
    tookMs: number,
    digest: Digest,
  ): Promise<TimelineStep> {
    const { method: http, headers } = this.#request
    const { kind, path } = this.#place
    const form = this.#form
    const details: Details = {
      ...requestDetails(kind, this.#request, path),
      ...(form && tokenRequestDetails(form)),
      ...this.#message,
      ...headerDetails(kind, response),
      ...(DOCUMENTS.includes(kind) && documentDetails(kind, body)),
    }
    const registered = kind === 'registration' && response.status < 300 ? body : undefined
    const clientId =
      textIn(registered?.client_id) ?? this.#clientId ?? form?.get('client_id') ?? undefined
    const ownName = textIn(registered?.client_name)
    const name = this.#name ?? (ownName === undefined ? undefined : printable(ownName))
    const session = response.headers.get('mcp-session-id') ?? headers.get('mcp-session-id')
    return {
      at: this.#at,
      tookMs,
      kind,
      http: printable(http, 10),
      status: response.status,
      network: await digest('network', clientNetwork(this.#request)),
      software: softwareOf(this.#request),
      ...(clientId !== undefined && { client: await clientKey(clientId, digest) }),
      ...(name !== undefined && { name }),
      ...(kind === 'endpoint' && session !== null && { session: await digest('session', session) }),
      events: this.#eventsWith(details, response.status),
      details,
    }
  }

  /** A challenge names the refusal of a token, which authorization reports before this request is known to it. */
  #eventsWith(details: Details, status: number): readonly StepEvent[] {
    const isKnown = this.#events.some(({ type }) => type === 'refusal')
    if (status !== 401 || isKnown || this.#place.kind !== 'endpoint') return this.#events
    const { challengeError: error } = details
    return [...this.#events, refusedToken(typeof error === 'string' ? error : 'token-missing')]
  }
}

/** @param name `token-missing`, or the error of the challenge */
export function refusedToken(name: string): StepEvent {
  const isMissing = name === 'token-missing'
  const message = isMissing ? 'An access token is required' : 'The access token is not accepted'
  return { type: 'refusal', name, message }
}

/** Undefined for an event that is not a refusal, a leniency or a failure of a request. */
export function stepEventOf(event: RequestMoment): StepEvent | undefined {
  switch (event.type) {
    case 'refusal':
      return { type: 'refusal', name: event.name, message: safeReason(event.message) }
    case 'leniency':
      return {
        type: 'leniency',
        name: event.name,
        message: 'Served, and refused with strict: true',
      }
    case 'grant-refused':
    case 'sign-in-refused':
      return { type: 'refusal', name: event.reason, message: safeReason(event.message) }
    case 'internal-error':
      return {
        type: 'failure',
        name: 'internal-error',
        message: 'The log of the server has the error',
      }
    default:
      return undefined
  }
}

/** A client id metadata document is public. Any other id is metadata of one client. */
async function clientKey(clientId: string, digest: Digest): Promise<string> {
  return clientId.startsWith('https://') ? safeUrl(clientId) : digest('client', clientId)
}

/** The form of a token request that was refused before its body was read. */
async function readUnreadForm(
  { method, body, bodyUsed }: Request,
  { kind }: RecordedPlace,
): Promise<URLSearchParams | undefined> {
  if (kind !== 'token' || method !== 'POST' || bodyUsed) return undefined
  try {
    const text = await readBoundedText(body, MAX_DOCUMENT_LENGTH)
    return text === undefined ? undefined : new URLSearchParams(text)
  } catch {
    // The connection broke, or the body is no text.
    return undefined
  }
}

async function readDocument(text: Promise<string | undefined>): Promise<JsonObject | undefined> {
  try {
    const json = (await text) ?? ''
    const value: unknown = json.length > MAX_DOCUMENT_LENGTH ? undefined : JSON.parse(json)
    return isJsonObject(value) ? value : undefined
  } catch {
    // Not JSON, or a broken connection: the details say so.
    return undefined
  }
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
