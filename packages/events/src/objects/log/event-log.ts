/** The log of one event type, or of one person of a personal type. */

import { MAX_EVENT_BYTES } from '../../../../../src/protocol/events.ts'
import { storedBytes } from '../event-storage.ts'
import type { EventsObjectContext } from '../events-host.ts'
import type {
  Emitted,
  EventLogRpc,
  Leased,
  LeaseRequest,
  LogName,
  LogPage,
  LogQuery,
  NewOccurrence,
  Registered,
  Registration,
} from '../port.ts'
import { FanOut } from './fan-out.ts'
import type { Accept } from './hand-over.ts'
import { catchUp } from './late-registrations.ts'
import { LogSockets } from './log-sockets.ts'
import {
  createLogStorage,
  existingLog,
  expireLater,
  historyMs,
  type LogStorage,
  type OpenLog,
  openLog,
  reportHandler,
  typeOf,
} from './log-storage.ts'
import { beginningOf, readPage } from './read-log.ts'
import { sweep } from './retention.ts'
import type { RegistrationRow } from './schema.ts'
import {
  deleteUpTo,
  hasRegistrations,
  lastPosition,
  nextRetry,
  positionBefore,
  positionOfEvent,
  registrationOf,
  saveHanded,
  unregister,
} from './statements.ts'
import { Upstreams } from './upstreams.ts'

/** When a turn of the alarm that has failed is repeated. */
const FAILED_TURN_MS = 10_000

/**
 * When an object whose app does not have the type looks again: it may run the code of an earlier deployment, which
 * another one replaces within minutes.
 */
const UNKNOWN_TYPE_MS = 5 * 60_000

/** Occurrences of a log with too many bytes that one statement deletes. */
const DELETED_TOGETHER = 16

/** How long the upstream listener of a registration runs before its row is written. */
const REGISTRATION_MS = 60_000

/**
 * Layout: a row for each occurrence, in the order of positions without holes; one for each event id; its
 * registrations; one for each listener at the upstream; one for the log, with the progress of the fan-out. Lifetime:
 * occurrences are kept as long as the history of their type, and until they were handed over. A log that is empty for 30
 * days is deleted; its positions are unknown to the next one. Trade-off: an emit is one commit of three or four rows and
 * never waits for the fan-out, which the alarm runs.
 *
 * Create it in the constructor of the object: its alarm is read from storage.
 */
export class EventLog implements EventLogRpc {
  readonly #storage: LogStorage
  readonly #fanOut: FanOut
  readonly #accept: Accept
  readonly #sockets: LogSockets
  readonly #upstreams: Upstreams

  /** @param accept calls the object of a principal, and is idempotent by position */
  constructor(context: EventsObjectContext, accept: Accept) {
    this.#storage = createLogStorage(context)
    this.#accept = accept
    this.#fanOut = new FanOut(this.#storage, accept)
    this.#sockets = new LogSockets(this.#storage)
    this.#upstreams = new Upstreams(this.#storage, this.#sockets)
  }

  /**
   * Stores the occurrence, and sends it to the open streams. An event id that the log has already for the same subject is
   * the same occurrence.
   *
   * @throws {TypeError} for data that are too long, and for a subject that cannot be stored
   */
  async emit(name: LogName, occurrence: NewOccurrence): Promise<Emitted> {
    const { subject, data } = occurrence
    if (data.length > MAX_EVENT_BYTES) throw new TypeError('The data of the event are too long')
    // Texts are stored as UTF-8, in which all lone surrogates are alike.
    if (subject?.isWellFormed() === false) throw new TypeError('The subject is not well-formed')
    const pending = this.#sockets.tagOf(subject)
    // Nothing is awaited without a socket: one that is accepted meanwhile would get the occurrence from neither.
    const tag = pending && (await pending)
    const open = openLog(this.#storage, name)
    const emitted = this.#storage.tables.transaction(() => this.#append(open, occurrence))
    if (!emitted.isNew) return emitted
    if (hasRegistrations(open.sql)) this.#storage.alarm.wakeAt(this.#storage.now)
    this.#sockets.send({ ...occurrence, position: emitted.position }, tag)
    return emitted
  }

  #append(open: OpenLog, occurrence: NewOccurrence): Emitted {
    const { sql, log } = open
    const { eventId, timestamp, data, subject = null, control = null } = occurrence
    const now = this.#storage.now
    // An event id has no space, so each subject has ids of its own.
    const id = subject === log.subject ? eventId : `${eventId} ${subject}`
    const known = positionOfEvent(sql, id, now)
    if (known !== undefined) return { position: known, isNew: false }
    const { occurrencesPerLog, eventIdMs } = this.#storage.limits
    const row = { event_id: eventId, timestamp, data, subject, control, emitted_at: now }
    sql.insert('occurrences', row)
    const position = lastPosition(sql)
    const remembered = { id, position, due_at: now + eventIdMs }
    sql.insert('event_ids', remembered, 'INSERT OR REPLACE')
    deleteUpTo(sql, position - occurrencesPerLog)
    this.#makeRoom(open, position)
    expireLater(this.#storage, open)
    return { position, isNew: true }
  }

  /** Deletes the oldest occurrences while the log has too many bytes. */
  #makeRoom({ sql }: OpenLog, newest: number): void {
    while (storedBytes(this.#storage) > this.#storage.limits.bytesPerObject) {
      const before = positionBefore(sql)
      if (before + 1 >= newest) return
      deleteUpTo(sql, Math.min(before + DELETED_TOGETHER, newest - 1))
    }
  }

  async read(name: LogName, query: LogQuery): Promise<LogPage> {
    const open = existingLog(this.#storage)
    const history = historyMs(this.#storage, name.type)
    return readPage(open, beginningOf(this.#storage, open, query, history), query)
  }

  lease(name: LogName, { arguments: text, forMs, holder }: LeaseRequest): Promise<Leased> {
    return this.#upstreams.ensure(name, text, forMs, holder)
  }

  async register(name: LogName, registration: Registration): Promise<Registered | 'full'> {
    const { arguments: text, principal, start } = registration
    // A refresh is of a subscription within the limit of the principal, and is not counted.
    const holder = start && principal
    const leased = await this.#upstreams.ensure(name, text, REGISTRATION_MS, holder)
    if (leased === 'full') return leased
    const open = openLog(this.#storage, name)
    return this.#storage.tables.transaction(() => this.#register(name, open, registration))
  }

  #register(name: LogName, open: OpenLog, registration: Registration): Registered {
    const { sql, log } = open
    const { id, principal, subject = null, start } = registration
    const known = registrationOf(sql, id)
    if (known !== undefined && start === undefined) return continued(open, known)
    const { now } = this.#storage
    const history = historyMs(this.#storage, name.type)
    const fromNow = { after: undefined, maxAgeMs: undefined }
    const from = history > 0 ? (start ?? fromNow) : fromNow
    const began = beginningOf(this.#storage, open, from, history)
    const { last, after: position } = began
    if (!hasRegistrations(sql) && log.handed < last) {
      saveHanded(sql, last)
    }
    // The one mechanism for catching up: a replay is a registration that is late.
    const late = position < last ? now : null
    const { arguments: text } = registration
    const row = { id, principal, subject, arguments: text, position }
    sql.insert('subscriptions', { ...row, retry_at: late, late_since: late }, 'INSERT OR REPLACE')
    if (late !== null) this.#storage.alarm.wakeAt(now)
    // One that the log should have had: what it has missed is unknown.
    const truncated = began.truncated || (start === undefined && history > 0)
    return { log: log.name, position, truncated }
  }

  async unregister(_name: LogName, id: string): Promise<void> {
    const open = existingLog(this.#storage)
    if (open !== undefined) unregister(open.sql, id)
  }

  /** Opens the stream socket of a listener. */
  fetch(request: Request): Promise<Response> {
    return this.#sockets.open(request)
  }

  webSocketClose(socket: WebSocket): void {
    this.#sockets.closed(socket)
  }

  webSocketError(socket: WebSocket): void {
    this.#sockets.closed(socket)
  }

  /** Each part runs, whether or not another one has failed. An alarm that throws would end after some repetitions. */
  async alarm(): Promise<void> {
    const storage = this.#storage
    storage.alarm.reset()
    const first = existingLog(storage)
    if (first === undefined) return
    const { type } = first.log
    let hasReported = false
    const onFault = (error: unknown) => {
      // One report of a turn, however many registrations it concerns.
      if (!hasReported) reportHandler(storage, type, 'matches', error)
      hasReported = true
    }
    await this.#part(() => this.#upstreams.run())
    if (typeOf(storage, { type }) === undefined) {
      storage.alarm.wakeAt(storage.now + UNKNOWN_TYPE_MS)
    } else {
      await this.#part(() => catchUp(storage, this.#accept, onFault))
      await this.#part(async () => ((await this.#fanOut.run(onFault)) ? storage.now : undefined))
      // The fan-out may have made some late.
      await this.#part(async () => nextRetry(first.sql))
    }
    await this.#part(async () => {
      const open = existingLog(storage)
      return open && sweep(storage, open, () => !this.#sockets.isEmpty)
    })
  }

  async #part(run: () => Promise<number | undefined>): Promise<void> {
    const { alarm } = this.#storage
    try {
      const next = await run()
      if (next !== undefined) alarm.wakeAt(next)
    } catch (error) {
      this.#storage.report({ type: 'internal-error', error })
      alarm.wakeAt(this.#storage.now + FAILED_TURN_MS)
    }
  }
}

/** Everything up to the position was accepted. */
function continued({ log }: OpenLog, row: RegistrationRow): Registered {
  const { principal, retry_at } = row
  const isPassed = log.batch_end !== null && principal <= (log.batch_principal ?? '')
  const handed = isPassed ? (log.batch_end ?? 0) : log.handed
  const position = retry_at === null ? Math.max(row.position, handed) : row.position
  return { log: log.name, position, truncated: row.lost === 1 }
}
