/** Turns what one request does into entries. */
import { readBoundedText } from '../../platform/bounded-body.ts'
import { hashKey } from '../../platform/fnv.ts'
import { randomToken } from '../../platform/random-token.ts'
import { utf8Length } from '../../platform/utf8.ts'
import type { RequestEvent } from '../../ports/request-event.ts'
import type { RequestObserver } from '../../ports/request-observer.ts'
import type { SessionClaims } from '../../ports/session-claims.ts'
import type { TelemetryEvent } from '../../ports/telemetry.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { claimedVersion, MetaKey, metaOf, readImplementation } from '../../protocol/meta.ts'
import { findRevision } from '../../protocol/revisions.ts'
import { type BoundedMessage, boundMessage, shapeOfMessage } from './bounded-message.ts'
import { clientOf } from './client.ts'
import { decisionOf, refusedToken } from './decision.ts'
import type { EntryOf, OpenedEntry } from './traffic-entry.ts'

/** An answer that is longer is not read, in bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** Messages of one batch. */
const MAX_BATCH = 50

/** Entries wait this long until more is known of their request. */
const SETTLE_MS = 30

/** Entries of one request. A stream of days must not fill the store alone. */
const MAX_ENTRIES = 500

export interface WatchedPlace {
  /** The path as it is recorded. */
  readonly path: string
  /** Whether it is one of the endpoint, whose bodies are JSON-RPC messages. */
  readonly isEndpoint: boolean
}

/** What a request writes to. */
export interface EntrySink {
  /** Whether arguments and results of a subject are shown. */
  showsBodies(subject: string | undefined): boolean
  /** @param owner see `StoredTraffic` */
  write(at: number, owner: string | null, entry: object): void
  background(work: Promise<unknown>): void
  /** The owner of an entry with the arguments and results of a subject. */
  ownerOf(subject: string | undefined): string | null
}

export class WatchedRequest implements RequestObserver {
  readonly receivesSpans = true
  readonly #sink: EntrySink
  readonly #place: WatchedPlace
  readonly #exchange = randomToken(9)
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

  constructor(request: Request, place: WatchedPlace, sink: EntrySink) {
    const { method, headers } = request
    this.#sink = sink
    this.#place = place
    this.#declaredBytes = Number(headers.get('content-length') ?? Number.NaN)
    this.#opened = {
      kind: 'opened',
      http: method.slice(0, 10),
      path: place.path,
      ...revisionOf(headers.get('mcp-protocol-version')),
      session: null,
      client: null,
      subject: null,
    }
  }

  received(body: unknown): void {
    const messages = Array.isArray(body) ? body.slice(0, MAX_BATCH) : [body]
    const [first] = messages
    if (isJsonObject(first)) this.#introduce(first)
    for (const message of messages) {
      const isWhole = messages.length === 1 && Number.isSafeInteger(this.#declaredBytes)
      this.#message('client', message, isWhole ? this.#declaredBytes : sizeOf(message), undefined)
    }
    this.#settle()
  }

  identified(_clientId: string, subject?: string): void {
    if (subject !== undefined) this.#learn({ subject })
  }

  inSession(session: string, { revision, transport, clientInfo }: SessionClaims): void {
    this.#learn({
      session,
      era: transport === 'http-sse' ? 'http-sse' : 'session',
      client: clientOf(clientInfo) ?? this.#opened.client,
      ...(revision !== undefined && { revision }),
    })
  }

  reported(event: TelemetryEvent): void {
    if (event.type === 'request') {
      this.#end(event)
      return
    }
    if (event.type === 'span') {
      const { kind, name, startedAt, durationMs } = event
      this.#add({ kind: 'span', name: `${kind} ${name}`, startedAt, durationMs })
      return
    }
    const decision = decisionOf(event)
    if (decision === undefined) return
    this.#isRefused ||= decision.kind === 'refusal'
    this.#add(decision)
  }

  sent(json: string, eventId: string | undefined): void {
    const bytes = utf8Length(json)
    this.#bytes += bytes
    this.#open()
    this.#message('server', parse(json), bytes, eventId)
  }

  answered(response: Response, isStream: boolean): void {
    this.#status = response.status
    if (isStream) {
      this.#open()
      return
    }
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (this.#place.isEndpoint && isJson && response.body !== null) {
      this.#sink.background(this.#readAnswer(response.clone()))
    } else {
      this.#close()
    }
  }

  ended(): void {
    this.#close()
  }

  async #readAnswer(copy: Response): Promise<void> {
    try {
      const text = await readBoundedText(copy.body, MAX_ANSWER_BYTES)
      this.#open()
      const answer = text === undefined ? undefined : parse(text)
      this.#bytes = text === undefined ? this.#bytes : utf8Length(text)
      const messages = Array.isArray(answer) ? answer.slice(0, MAX_BATCH) : [answer]
      for (const message of messages) {
        const bytes = messages.length === 1 ? this.#bytes : sizeOf(message)
        this.#message('server', message, bytes, undefined)
      }
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
    this.#add(refusedToken(reason))
  }

  /** Reads what a message says of its client. */
  #introduce({ method, params }: JsonObject): void {
    if (!isJsonObject(params)) return
    const version = claimedVersion(params)
    const client = metaOf(params)?.[MetaKey.clientInfo]
    if (typeof version === 'string') this.#learn(revisionOf(version))
    if (method === 'initialize') {
      const { protocolVersion, clientInfo } = params
      const named = typeof protocolVersion === 'string' ? revisionOf(protocolVersion) : {}
      this.#learn({ ...named, client: clientOf(readImplementation(clientInfo)) })
    } else if (client !== undefined) {
      this.#learn({ client: clientOf(readImplementation(client)) })
    }
  }

  #learn(known: Partial<OpenedEntry>): void {
    this.#opened = { ...this.#opened, ...known }
  }

  #message(
    from: 'client' | 'server',
    message: unknown,
    bytes: number,
    eventId: string | undefined,
  ): void {
    const at = Date.now()
    this.#later(() => {
      const { subject } = this.#opened
      const shows = this.#sink.showsBodies(subject ?? undefined)
      const owner = shows ? this.#sink.ownerOf(subject ?? undefined) : null
      const bounded = shows ? boundMessage : shapeOfMessage
      const shown = message === undefined ? TOO_LARGE : bounded(message)
      this.#write(at, owner, {
        kind: 'message',
        from,
        ...shown,
        bytes,
        shape: !shows,
        eventId: eventId === undefined ? null : hashKey(eventId),
      })
    })
  }

  #add(entry: EntryOf): void {
    const at = Date.now()
    this.#later(() => this.#write(at, null, entry))
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#open()
    this.#write(Date.now(), null, {
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
    this.#sink.background(promise.then(() => this.#open()))
  }

  /** What is known of the request is written, and then what waited for it. */
  #open(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    this.#write(this.#at, null, this.#opened)
    for (const write of waiting) write()
  }

  #write(at: number, owner: string | null, entry: EntryOf): void {
    this.#count += 1
    if (this.#count > MAX_ENTRIES && entry.kind !== 'closed') return
    this.#sink.write(at, owner, { at, exchange: this.#exchange, ...entry })
  }
}

/** Stands for a message that is not read. */
const TOO_LARGE: BoundedMessage = { message: null, cut: true }

function revisionOf(version: string | null): Pick<OpenedEntry, 'revision' | 'era'> {
  const revision = version === null ? undefined : findRevision(version)
  return { revision: revision?.id ?? null, era: revision?.era ?? null }
}

/** Undefined for a text that is not JSON, or too large to be read. */
function parse(json: string): unknown {
  if (json.length > MAX_ANSWER_BYTES) return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function sizeOf(message: unknown): number {
  return message === undefined ? 0 : utf8Length(JSON.stringify(message))
}
