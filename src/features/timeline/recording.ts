/** Collects what is recorded of one request. `recorder.ts` decides which requests, and stores the result. */
import { readBoundedText } from '../../platform/bounded-body.ts'
import { clientNetwork } from '../../platform/client-network.ts'
import type { RequestObserver } from '../../ports/request-observer.ts'
import type { TelemetryEvent } from '../../ports/telemetry.ts'
import type { Details, StepEvent, StepKind, TimelineStep } from '../../ports/timeline.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { DOCUMENTS, documentDetails, headerDetails } from './details/answer-details.ts'
import { messageDetails } from './details/message-details.ts'
import { requestDetails, softwareOf, tokenRequestDetails } from './details/request-details.ts'
import type { Digest } from './digests.ts'
import { printable, safeReason, safeUrl } from './safe-text.ts'

/** A document or a form that is longer is not read. */
const MAX_DOCUMENT_BYTES = 64 * 1024

/** Events of one request. */
const MAX_EVENTS = 8

export class RequestRecording implements Omit<RequestObserver, 'answered'> {
  readonly #request: Request
  readonly #kind: StepKind
  readonly #at = Date.now()
  readonly #path: string
  /** Of a token request: the endpoint reads the body itself. */
  readonly #form: Request | undefined
  readonly #events: StepEvent[] = []
  #messageDetails: Details = {}
  #name: string | undefined
  #clientId: string | undefined

  constructor(request: Request, kind: StepKind, path: string) {
    this.#request = request
    this.#kind = kind
    this.#path = path
    const length = Number(request.headers.get('content-length') ?? Number.NaN)
    const isForm = kind === 'token' && request.method === 'POST' && length <= MAX_DOCUMENT_BYTES
    if (isForm) this.#form = request.clone()
    if (kind === 'authorization') {
      this.#clientId = new URL(request.url).searchParams.get('client_id') ?? undefined
    }
  }

  received(body: unknown): void {
    const { details, name } = messageDetails(body)
    this.#messageDetails = details
    this.#name = name
  }

  identified(clientId: string): void {
    this.#clientId = clientId
  }

  reported(event: TelemetryEvent): void {
    const recorded = stepEventOf(event)
    if (recorded !== undefined && this.#events.length < MAX_EVENTS) this.#events.push(recorded)
  }

  /** @param response a copy, whose body may be read */
  async toStep(response: Response, tookMs: number, digest: Digest): Promise<TimelineStep> {
    const { method: http, headers } = this.#request
    const kind = this.#kind
    const body = DOCUMENTS.includes(kind) ? await readDocument(response) : undefined
    const form = await readForm(this.#form)
    const details: Details = {
      ...requestDetails(kind, this.#request, this.#path),
      ...(form && tokenRequestDetails(form)),
      ...this.#messageDetails,
      ...headerDetails(kind, response),
      ...(DOCUMENTS.includes(kind) && documentDetails(kind, body)),
    }
    const registered = kind === 'registration' && response.status < 300 ? body : undefined
    const clientId =
      textIn(registered?.client_id) ?? this.#clientId ?? form?.get('client_id') ?? undefined
    const name = this.#name ?? (registered && nameOf(registered))
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
    if (status !== 401 || isKnown || this.#kind !== 'endpoint') return this.#events
    const { challengeError: error } = details
    const refusal: StepEvent =
      typeof error === 'string'
        ? { type: 'refusal', name: error, message: 'The access token is not accepted' }
        : { type: 'refusal', name: 'token-missing', message: 'An access token is required' }
    return [...this.#events, refusal]
  }
}

/** Undefined for an event that is not a refusal, a leniency or a failure of a request. */
export function stepEventOf(event: TelemetryEvent): StepEvent | undefined {
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

async function readDocument(response: Response): Promise<JsonObject | undefined> {
  try {
    const text = await readBoundedText(response.body, MAX_DOCUMENT_BYTES)
    const value: unknown = text === undefined ? undefined : JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    // Not JSON: the details say so.
    return undefined
  }
}

async function readForm(request: Request | undefined): Promise<URLSearchParams | undefined> {
  try {
    const text = request && (await readBoundedText(request.body, MAX_DOCUMENT_BYTES))
    return text === undefined ? undefined : new URLSearchParams(text)
  } catch {
    // The connection broke, or the body is no text: the endpoint has refused it.
    return undefined
  }
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

function nameOf({ client_name: name }: JsonObject): string | undefined {
  return typeof name === 'string' ? printable(name) : undefined
}
