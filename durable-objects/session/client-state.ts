/**
 * What a session knows about its client: the claims of the session id, the client's settings, and the
 * state that its handlers keep.
 */
import type { CallClient } from '../../src/dispatch/call.ts'
import { readHandshake } from '../../src/dispatch/methods/initialize.ts'
import type { SessionClaims } from '../../src/ports/sessions.ts'
import type { AbridgedClient } from '../../src/protocol/abridge-client.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import { isLogLevel, type LogLevel } from '../../src/protocol/log-level.ts'
import { findRevision, OLDEST_SESSION, type Revision } from '../../src/protocol/revisions.ts'
import { Setting } from './row-keys.ts'
import type { SessionStorage } from './session-storage.ts'

const DEFAULT_LOG_LEVEL: LogLevel = 'info'

/** A row holds at most 2 MB; this many UTF-16 code units are at most 1.5 MB of UTF-8. */
const MAX_STATE_LENGTH = 512 * 1024

/** What the handshake of the transport of 2024-11-05 declared. */
interface Handshake extends AbridgedClient {
  readonly revision: string
}

export class ClientState {
  readonly #storage: SessionStorage
  #claims: SessionClaims | undefined
  #handshake: Handshake | undefined
  #logLevel: LogLevel
  #state: JsonValue | undefined
  #isPersisted: boolean
  #hasEnded = false

  constructor(storage: SessionStorage) {
    this.#storage = storage
    const read = <T>(name: Setting): T | undefined => {
      const text = storage.existing?.setting(name)
      return text === undefined ? undefined : JSON.parse(text)
    }
    this.#claims = read(Setting.claims)
    this.#isPersisted = this.#claims !== undefined
    this.#handshake = read(Setting.client)
    const level = read(Setting.logLevel)
    this.#logLevel = isLogLevel(level) ? level : DEFAULT_LOG_LEVEL
    this.#state = read(Setting.state)
  }

  /** @throws {TypeError} before the first request, which brings the session id */
  get claims(): SessionClaims {
    if (this.#claims === undefined)
      throw new TypeError('The claims of this session are not known yet')
    return this.#claims
  }

  get revision(): Revision {
    const { revision } = this.#handshake ?? this.claims
    return (revision === undefined ? undefined : findRevision(revision)) ?? OLDEST_SESSION
  }

  /** Whether the transport is that of 2024-11-05. */
  get hasOneStream(): boolean {
    return this.claims.transport === 'http-sse'
  }

  /** The client's part of a call. */
  forCall(): CallClient {
    const { clientInfo: info, clientCapabilities: capabilities } = this.#handshake ?? this.claims
    const era = this.hasOneStream ? 'http-sse' : 'session'
    return { era, info, capabilities, logLevel: this.#logLevel }
  }

  /** The claims are the same with every request. */
  setClaims(claims: SessionClaims): void {
    this.#claims = claims
  }

  /** Stores the claims for an alarm, which brings no session id. Called before anything else is stored. */
  persist(): void {
    // A handler that is still running when its session ends must not create its tables again.
    if (this.#hasEnded) throw new Error('The session has ended')
    if (this.#isPersisted) return
    this.#storage.statements.saveSetting(Setting.claims, JSON.stringify(this.claims))
    this.#isPersisted = true
  }

  /** The session has ended: from now on nothing is stored. */
  end(): void {
    this.#hasEnded = true
  }

  /** All rows were deleted. */
  reset(): void {
    this.#isPersisted = false
    this.#handshake = undefined
    this.#logLevel = DEFAULT_LOG_LEVEL
    this.#state = undefined
  }

  /**
   * Negotiates the revision in the transport of 2024-11-05, whose session id precedes the handshake.
   *
   * @throws {ProtocolError} invalidParams without a version to negotiate from
   */
  initialize(params: JsonObject | undefined): void {
    this.#handshake = readHandshake(params)
    this.persist()
    this.#storage.statements.saveSetting(Setting.client, JSON.stringify(this.#handshake))
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level
    this.persist()
    this.#storage.statements.saveSetting(Setting.logLevel, JSON.stringify(level))
  }

  /** Undefined before a handler has stored one. */
  get state(): JsonValue | undefined {
    return this.#state
  }

  /** @throws {TypeError} for a value that is not JSON or too large for a row */
  setState(value: JsonValue): void {
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined) throw new TypeError('The state of a session must be JSON')
    if (text.length > MAX_STATE_LENGTH) {
      throw new TypeError(`The state of a session has at most ${MAX_STATE_LENGTH} characters`)
    }
    this.persist()
    this.#storage.statements.saveSetting(Setting.state, text)
    this.#state = JSON.parse(text)
  }

  /** Whether any setting differs from its default. */
  get hasSettings(): boolean {
    return (
      this.#handshake !== undefined ||
      this.#logLevel !== DEFAULT_LOG_LEVEL ||
      this.#state !== undefined
    )
  }
}
