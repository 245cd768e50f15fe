/**
 * Whether the client of a session may still come back, as far as the rows of the session depend on it. Nothing is
 * written for a session that has stored nothing but logs, which expire by themselves.
 *
 * - A client that has held a stream with GET is expected until its session id expires.
 * - Any other session with settings, subscriptions or state ends a day after its last request: some clients open
 *   one per run and never delete it.
 * - With the transport of 2024-11-05, a client is expected for the retention time after its stream has closed. A
 *   kill closes a stream without a sign, so the time begins when an alarm finds no reader.
 */
import { MAIN_STREAM, type StreamKind } from '../../src/ports/sessions.ts'
import { Setting } from './row-keys.ts'
import type { SessionParts } from './session-parts.ts'
import type { Statements } from './statements.ts'

/** The time of a request is stored this often, so that not every request writes. */
const PRECISION_MS = 60 * 60 * 1000

/** What the rows say. They may be deleted and created again. */
interface Stored {
  readonly tables: Statements | undefined
  usedAt: number | undefined
  hasHeldStream: boolean
}

export class ClientPresence {
  readonly #parts: SessionParts
  #hasHeldStream = false
  #cached: Stored | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** The session has stored what outlives its logs. */
  settingsStored(): void {
    const now = Date.now()
    if (this.#parts.client.hasOneStream || this.#holdsStream()) return
    this.#saveUse(now)
    this.#parts.lifetime.wakeAt(this.#idleAfter(now))
  }

  /** The client has sent a POST. */
  used(): void {
    const now = Date.now()
    const { usedAt, hasHeldStream } = this.#stored
    if (usedAt !== undefined && !hasHeldStream && now - usedAt >= PRECISION_MS) this.#saveUse(now)
  }

  /** The client has opened a stream with GET. */
  streamOpened(kind: StreamKind): void {
    this.#hasHeldStream = true
    if (kind === 'main') this.#parts.storage.existing?.deleteSetting(Setting.absentSince)
    else if (this.#stored.usedAt !== undefined) this.#holdsStream()
  }

  /** A stream of the kind has lost its reader. */
  streamClosed(kind: StreamKind): void {
    if (kind === 'main' && !this.#parts.sockets.has(MAIN_STREAM))
      this.#write(Setting.absentSince, Date.now())
  }

  /** Until when the client of a transport with one stream may open it again; undefined without a limit. */
  absentUntil(now: number): number | undefined {
    const { client, sockets, limits } = this.#parts
    if (!client.hasOneStream || sockets.has(MAIN_STREAM)) return undefined
    const since = this.#read(Setting.absentSince)
    if (since === undefined) this.#write(Setting.absentSince, now)
    return (since ?? now) + limits.logRetentionMs
  }

  /** When a session that keeps settings ends without further requests; undefined where its id alone decides. */
  idleUntil(now: number): number | undefined {
    if (this.#parts.client.hasOneStream || this.#holdsStream()) return undefined
    // The rows of a version that did not store it.
    if (this.#stored.usedAt === undefined) this.#saveUse(now)
    return this.#idleAfter(this.#stored.usedAt ?? now)
  }

  #idleAfter(usedAt: number): number {
    return usedAt + this.#parts.limits.idleMs + PRECISION_MS
  }

  /** Whether the client holds a stream or has held one. Stored, because a kill closes streams. */
  #holdsStream(): boolean {
    const stored = this.#stored
    this.#hasHeldStream ||= stored.hasHeldStream || this.#parts.sockets.changeSockets.length > 0
    if (this.#hasHeldStream && !stored.hasHeldStream) {
      this.#write(Setting.heldStream, 1)
      stored.hasHeldStream = true
    }
    return this.#hasHeldStream
  }

  #saveUse(now: number): void {
    this.#write(Setting.usedAt, now)
    this.#stored.usedAt = now
  }

  get #stored(): Stored {
    const tables = this.#parts.storage.existing
    if (this.#cached === undefined || this.#cached.tables !== tables) {
      this.#cached = {
        tables,
        usedAt: this.#read(Setting.usedAt),
        hasHeldStream: this.#read(Setting.heldStream) !== undefined,
      }
    }
    return this.#cached
  }

  #read(name: Setting): number | undefined {
    const text = this.#parts.storage.existing?.setting(name)
    return text === undefined ? undefined : Number(text)
  }

  #write(name: Setting, value: number): void {
    this.#parts.storage.existing?.saveSetting(name, String(value))
  }
}
