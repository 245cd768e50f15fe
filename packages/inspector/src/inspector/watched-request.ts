/**
 * Turns what one request does into entries.
 *
 * In production, values of other subjects are replaced by their types, unless the owner sets `bodies: true`.
 */
import { hashKey } from '../../../../src/platform/fnv.ts'
import { randomToken } from '../../../../src/platform/random-token.ts'
import { tryParseJson } from '../../../../src/platform/try-parse.ts'
import { utf8Length } from '../../../../src/platform/utf8.ts'
import type { Background } from '../../../../src/ports/authenticator.ts'
import type {
  ObservedExchange,
  RequestEvent,
  SpanEvent,
} from '../../../../src/ports/request-event.ts'
import type { RequestMoment, RequestObserver } from '../../../../src/ports/request-observer.ts'
import type { SessionClaims } from '../../../../src/ports/session-claims.ts'
import type { EventReport } from '../../../../src/ports/telemetry.ts'
import type { Implementation } from '../../../../src/protocol/content.ts'
import { findRevision } from '../../../../src/protocol/revisions.ts'
import type { StepEvent } from '../objects/log/port.ts'
import { eventRefusal } from '../timeline/event-refusals.ts'
import { refusedToken, stepEventOf } from '../timeline/recorded-step.ts'
import { printable } from '../timeline/safe-text.ts'
import type { RecordedPlace } from '../timeline/step-kind.ts'
import { type BoundedMessage, boundMessage, shapeOfMessage } from './bounded-message.ts'
import type {
  DecisionEntry,
  EntryOf,
  EventEntry,
  MessageEntry,
  OpenedEntry,
  SpanEntry,
} from './traffic-entry.ts'
import type { TrafficWriter } from './traffic-writer.ts'

/** A message that is longer is not read, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 1024 * 1024

/** Messages of one batch. */
const MAX_BATCH = 50

/** Entries wait this long until more is known of their request. */
const SETTLE_MS = 30

/** Entries of one request. A stream of days must not fill the store alone. */
const MAX_ENTRIES = 500

export interface WatchedRequestOptions {
  readonly place: RecordedPlace
  readonly writer: TrafficWriter
  /** Until when the traffic is watched, in epoch milliseconds. */
  readonly until: number
  /** Whether arguments and results of all subjects are shown. */
  readonly isOpen: boolean
  readonly background: Background
}

export class WatchedRequest implements RequestObserver {
  readonly receivesSpans = true
  readonly exchange: ObservedExchange
  readonly #options: WatchedRequestOptions
  readonly #at = Date.now()
  readonly #declaredBytes: number
  #opened: OpenedEntry
  /** Entries that wait until more is known of the request; undefined afterwards. */
  #waiting: (() => void)[] | undefined = []
  #isSettling = false
  #count = 0
  #status = 200
  #bytes = 0
  #outcome: string | null = null
  #isClosed = false
  #isRefused = false

  constructor({ method, headers }: Request, options: WatchedRequestOptions) {
    this.#options = options
    this.exchange = { name: randomToken(9), until: options.until }
    this.#declaredBytes = Number(headers.get('content-length') ?? Number.NaN)
    this.#opened = {
      kind: 'opened',
      http: method.slice(0, 10),
      path: options.place.path,
      ...revisionOf(headers.get('mcp-protocol-version')),
      session: null,
      client: null,
      subject: null,
    }
  }

  observe(moment: RequestMoment): void {
    switch (moment.type) {
      case 'received':
        this.#received(moment)
        break
      case 'identified':
        this.#learn({ subject: moment.subject ?? this.#opened.subject })
        break
      case 'session':
        this.#inSession(moment.session, moment.claims)
        break
      case 'request':
        this.#end(moment)
        break
      case 'span':
        this.#add(spanEntry(moment))
        break
      case 'sent':
        this.#sent(moment.json, moment.eventId)
        break
      case 'event-emitted':
        this.#add(eventEntry(moment))
        break
      case 'subscribing':
        if (moment.refusal !== undefined) this.#add(decisionOf(eventRefusal(moment.refusal)))
        break
      case 'answered':
        this.#answered(moment)
        break
      case 'ended':
        this.#close()
        break
      default: {
        const step = stepEventOf(moment)
        if (step === undefined) break
        this.#isRefused ||= step.type === 'refusal'
        this.#add(decisionOf(step, moment))
      }
    }
  }

  #received({ body, version, client }: Extract<RequestMoment, { type: 'received' }>): void {
    if (version !== undefined) this.#learn(revisionOf(version))
    if (client !== undefined) this.#learn({ client: clientOf(client) })
    const isDeclared = Number.isSafeInteger(this.#declaredBytes)
    this.#messages('client', body, isDeclared ? this.#declaredBytes : undefined)
    this.#settle()
  }

  #inSession(session: string, { revision, transport, clientInfo }: SessionClaims): void {
    this.#learn({
      session,
      era: transport === 'http-sse' ? 'http-sse' : 'session',
      client: clientOf(clientInfo) ?? this.#opened.client,
      ...(revision !== undefined && { revision }),
    })
  }

  #sent(json: string, eventId: string | undefined): void {
    const bytes = utf8Length(json)
    this.#bytes += bytes
    this.#open()
    this.#message('server', parse(json), bytes, eventId === undefined ? eventId : hashKey(eventId))
  }

  #answered({ response, isStream, text }: Extract<RequestMoment, { type: 'answered' }>): void {
    this.#status = response.status
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (isStream) this.#open()
    else if (this.#options.place.kind === 'endpoint' && isJson && response.body !== null) {
      this.#options.background(this.#readAnswer(text()))
    } else {
      this.#close()
    }
  }

  async #readAnswer(read: Promise<string | undefined>): Promise<void> {
    try {
      const text = await read
      this.#open()
      if (text !== undefined) this.#bytes = utf8Length(text)
      this.#messages('server', text === undefined ? undefined : parse(text), this.#bytes)
    } catch {
      // The connection broke: the answer was not sent.
    }
    this.#close()
  }

  /** Authorization reports the refusal of a token before this request is known to it. */
  #end({ outcome, reason, era, revision, bytesOut = 0 }: RequestEvent): void {
    this.#outcome = outcome
    this.#bytes ||= bytesOut
    if (era !== undefined) this.#learn({ era, revision: revision ?? this.#opened.revision })
    if (outcome !== 'refused' || reason === undefined || this.#isRefused) return
    this.#add(decisionOf(refusedToken(reason)))
  }

  #learn(known: Partial<OpenedEntry>): void {
    this.#opened = { ...this.#opened, ...known }
  }

  /** @param bytes of all of them; undefined when they are not known */
  #messages(from: MessageEntry['from'], body: unknown, bytes: number | undefined): void {
    const messages = Array.isArray(body) ? body.slice(0, MAX_BATCH) : [body]
    for (const message of messages) {
      const own = messages.length === 1 ? bytes : undefined
      this.#message(from, message, own ?? sizeOf(message))
    }
  }

  #message(from: MessageEntry['from'], message: unknown, bytes: number, event?: string): void {
    const at = Date.now()
    this.#later(() => {
      const { isOpen, writer } = this.#options
      const { subject } = this.#opened
      const shows = isOpen || writer.isWatchedBy(subject ?? undefined)
      const bounded = shows ? boundMessage : shapeOfMessage
      const shown = message === undefined ? TOO_LARGE : bounded(message)
      const entry = { kind: 'message', from, ...shown, bytes, shape: !shows } as const
      this.#write(at, { ...entry, eventId: event ?? null }, shows && !isOpen ? subject : null)
    })
  }

  #add(entry: EntryOf): void {
    const at = Date.now()
    this.#later(() => this.#write(at, entry))
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#open()
    this.#write(Date.now(), {
      kind: 'closed',
      status: this.#status,
      durationMs: Math.max(0, Date.now() - this.#at),
      bytes: this.#bytes,
      outcome: this.#outcome,
    })
  }

  #later(write: () => void): void {
    if (this.#waiting === undefined) write()
    else this.#waiting.push(write)
  }

  /** Opens the entries of a slow request before its answer. */
  #settle(): void {
    if (this.#isSettling || this.#waiting === undefined) return
    this.#isSettling = true
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, SETTLE_MS)
    this.#options.background(promise.then(() => this.#open()))
  }

  /** What is known of the request is written, and then what waited for it. */
  #open(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    this.#write(this.#at, this.#opened)
    for (const write of waiting) write()
  }

  /** @param owner see `StoredTraffic` */
  #write(at: number, entry: EntryOf, owner: string | null = null): void {
    this.#count += 1
    if (this.#count > MAX_ENTRIES && entry.kind !== 'closed') return
    const { writer, background } = this.#options
    writer.write({ at, exchange: this.exchange.name, entry, owner }, background)
  }
}

/** Observes what an object runs for a request, the status of its task, and what becomes of its subscriptions. */
export function observeObject(
  writer: TrafficWriter,
  exchange: ObservedExchange | undefined,
  background: Background,
): RequestObserver {
  return {
    receivesSpans: true,
    exchange,
    observe(moment) {
      const at = Date.now()
      if (moment.type === 'task') {
        const { task, name, status } = moment
        const entry = { kind: 'task', task, tool: name ?? '', status } as const
        background(writer.writeIfWatched({ at, exchange: task, entry }, background))
      } else if (moment.type === 'event-delivery' || moment.type === 'event-subscription') {
        const entry = eventEntry(moment)
        background(writer.writeIfWatched({ at, exchange: '', entry }, background))
      } else if (moment.type === 'span' && exchange !== undefined) {
        const written = { at, exchange: exchange.name, entry: spanEntry(moment) }
        if (at < exchange.until) writer.write(written, background)
        else background(writer.writeIfWatched(written, background))
      }
    },
  }
}

type EventMoment = Extract<RequestMoment, { type: 'event-emitted' }> | EventReport

function eventEntry(moment: EventMoment): EventEntry {
  const { type, event } = moment
  const entry = { kind: 'event', event } as const
  if (type === 'event-emitted') {
    return { ...entry, what: 'emitted', outcome: null, subscription: null, reason: null }
  }
  const { outcome, subscription = null, reason = null } = moment
  const what = type === 'event-delivery' ? 'delivery' : 'subscription'
  return { ...entry, what, outcome, subscription, reason }
}

function spanEntry({ kind, name, startedAt, durationMs }: SpanEvent): SpanEntry {
  return { kind: 'span', name: `${kind} ${name}`, startedAt, durationMs }
}

/** A refusal, a leniency or a failure, with the words of the timeline. */
function decisionOf({ type, name, message }: StepEvent, moment?: RequestMoment): DecisionEntry {
  const status = moment !== undefined && 'status' in moment ? moment.status : null
  return { kind: type, name, status: typeof status === 'number' ? status : null, text: message }
}

/** What a client calls itself. */
function clientOf(info: Implementation | undefined): OpenedEntry['client'] {
  return info === undefined
    ? null
    : { name: printable(info.name), version: printable(info.version) }
}

/** Stands for a message that is not read. */
const TOO_LARGE: BoundedMessage = { message: null, cut: true }

function revisionOf(version: string | null): Pick<OpenedEntry, 'revision' | 'era'> {
  const revision = version === null ? undefined : findRevision(version)
  return { revision: revision?.id ?? null, era: revision?.era ?? null }
}

/** Undefined for a text that is not JSON, or too large to be read. */
const parse = (json: string): unknown =>
  json.length > MAX_MESSAGE_LENGTH ? undefined : tryParseJson(json)

function sizeOf(message: unknown): number {
  return message === undefined ? 0 : utf8Length(JSON.stringify(message))
}
