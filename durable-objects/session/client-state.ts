/** What a session knows of its client: what its id says, and what the client has said since. */
import type { CallClient } from '../../src/dispatch/call.ts'
import { readRequestedVersion } from '../../src/dispatch/methods/initialize.ts'
import type { SessionClaims } from '../../src/ports/sessions.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { type ClientCapabilities, NO_CAPABILITIES } from '../../src/protocol/capabilities.ts'
import type { Implementation } from '../../src/protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts'
import { isLogLevel, type LogLevel } from '../../src/protocol/log-level.ts'
import { readImplementation } from '../../src/protocol/meta.ts'
import {
  findRevision,
  negotiateSession,
  OLDEST_SESSION,
  type Revision,
} from '../../src/protocol/revisions.ts'
import { Setting } from './row-keys.ts'
import type { SessionStorage } from './session-storage.ts'

/** Where a client has not said otherwise. */
const DEFAULT_LOG_LEVEL: LogLevel = 'info'

interface Introduction {
  readonly revision: string
  readonly clientInfo: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
}

export class ClientState {
  readonly #storage: SessionStorage
  #claims: SessionClaims | undefined
  #text: string | undefined
  #introduction: Introduction | undefined
  #logLevel: LogLevel
  #kept: boolean

  constructor(storage: SessionStorage) {
    this.#storage = storage
    const read = (name: Setting) => {
      const text = storage.existing?.setting(name)
      return text === undefined ? undefined : JSON.parse(text)
    }
    this.#claims = read(Setting.claims)
    this.#kept = this.#claims !== undefined
    this.#introduction = read(Setting.client)
    const level = read(Setting.logLevel)
    this.#logLevel = isLogLevel(level) ? level : DEFAULT_LOG_LEVEL
  }

  /** @throws {TypeError} before anybody has come with an id */
  get claims(): SessionClaims {
    if (this.#claims === undefined) throw new TypeError('No id has been seen of this session')
    return this.#claims
  }

  get revision(): Revision {
    const { revision } = this.#introduction ?? this.claims
    return (revision === undefined ? undefined : findRevision(revision)) ?? OLDEST_SESSION
  }

  /** The client's part of a call. */
  forCall(): CallClient {
    const { clientInfo: info, clientCapabilities: capabilities } = this.#introduction ?? this.claims
    const era = this.claims.transport === 'http-sse' ? 'http-sse' : 'session'
    return { era, info, capabilities, logLevel: this.#logLevel }
  }

  /** Who came last, with what their token knows: in memory alone. */
  auth: AuthInfo | undefined

  /** What an id says; the same with every request. */
  setClaims(claims: SessionClaims): void {
    this.#claims = claims
  }

  /** For an alarm, which brings no id: before anything else is kept. */
  persist(): void {
    if (this.#kept) return
    this.#storage.statements.saveSetting(Setting.claims, JSON.stringify(this.claims))
    this.#kept = true
  }

  /** The same, as text. */
  setClaimsText(text: string): void {
    if (this.#text === text) return
    this.#text = text
    this.#claims = JSON.parse(text) as SessionClaims
  }

  /** Everything that was kept is gone. */
  forget(): void {
    this.#kept = false
    this.#introduction = undefined
    this.#logLevel = DEFAULT_LOG_LEVEL
  }

  /**
   * The handshake of the older transport, whose ids are given before it.
   *
   * @throws {ProtocolError} invalidParams, when there is no version to negotiate from
   */
  introduce(params: JsonObject | undefined): Revision {
    const revision = negotiateSession(readRequestedVersion(params))
    const capabilities = params?.capabilities
    this.#introduction = {
      revision: revision.id,
      clientInfo: readImplementation(params?.clientInfo),
      clientCapabilities: isJsonObject(capabilities) ? capabilities : NO_CAPABILITIES,
    }
    this.persist()
    this.#storage.statements.saveSetting(Setting.client, JSON.stringify(this.#introduction))
    return revision
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level
    this.persist()
    this.#storage.statements.saveSetting(Setting.logLevel, JSON.stringify(level))
  }

  /** Whether anything is kept that the client would miss. */
  get hasSettings(): boolean {
    return this.#introduction !== undefined || this.#logLevel !== DEFAULT_LOG_LEVEL
  }
}
