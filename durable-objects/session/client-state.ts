/** What a session knows of its client: what its id says, and what the client has said since. */
import { readRequestedVersion } from '../../src/dispatch/methods/initialize.ts'
import type { SessionFacts } from '../../src/ports/sessions.ts'
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
  #facts: SessionFacts | undefined
  #text: string | undefined
  #introduction: Introduction | undefined
  #logLevel: LogLevel
  #kept: boolean

  constructor(storage: SessionStorage) {
    this.#storage = storage
    const read = (name: string) => {
      const text = storage.existing?.fact(name)
      return text === undefined ? undefined : JSON.parse(text)
    }
    this.#facts = read('session')
    this.#kept = this.#facts !== undefined
    this.#introduction = read('client')
    const level = read('log-level')
    this.#logLevel = isLogLevel(level) ? level : DEFAULT_LOG_LEVEL
  }

  /** @throws {TypeError} before anybody has come with an id */
  get facts(): SessionFacts {
    if (this.#facts === undefined) throw new TypeError('No id has been seen of this session')
    return this.#facts
  }

  get revision(): Revision {
    const { revision } = this.#introduction ?? this.facts
    return (revision === undefined ? undefined : findRevision(revision)) ?? OLDEST_SESSION
  }

  get clientInfo(): Implementation | undefined {
    return (this.#introduction ?? this.facts).clientInfo
  }

  get clientCapabilities(): ClientCapabilities {
    return (this.#introduction ?? this.facts).clientCapabilities
  }

  get logLevel(): LogLevel {
    return this.#logLevel
  }

  /** Who came last, with what their token knows: in memory alone. */
  auth: AuthInfo | undefined

  /** What an id says; the same with every request. */
  meet(facts: SessionFacts): void {
    this.#facts = facts
  }

  /** For an alarm, which brings no id: before anything else is kept. */
  keep(): void {
    if (this.#kept) return
    this.#storage.statements.setFact('session', JSON.stringify(this.facts))
    this.#kept = true
  }

  /** The same, as text. */
  meetText(text: string): void {
    if (this.#text === text) return
    this.#text = text
    this.#facts = JSON.parse(text) as SessionFacts
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
    this.keep()
    this.#storage.statements.setFact('client', JSON.stringify(this.#introduction))
    return revision
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level
    this.keep()
    this.#storage.statements.setFact('log-level', JSON.stringify(level))
  }

  /** Whether anything is kept that the client would miss. */
  get hasSettings(): boolean {
    return this.#introduction !== undefined || this.#logLevel !== DEFAULT_LOG_LEVEL
  }
}
