/**
 * The ledger of a soak: what each client sent and received, and the violations that its books found. The
 * books beside this file decide what a violation is; each knows one promise of the server.
 */

/** What a client can observe that the server promises not to do. */
export type ViolationKind =
  /** A message that was promised never came. */
  | 'lost-message'
  /** A message came twice, or a position of a stream was used twice. */
  | 'duplicated-message'
  | 'reordered-message'
  /** A message of another call, session or principal. */
  | 'foreign-message'
  /** A side effect happened more often than the calls could cause. */
  | 'repeated-effect'
  /** A side effect that was acknowledged did not last. */
  | 'lost-effect'
  /** A valid session id was answered with 404. */
  | 'forgotten-session'
  /** A terminated session, or one of another principal, was served. */
  | 'revived-session'
  /** A valid code, token or request state was refused. */
  | 'forgotten-credential'
  /** A code, refresh token or request state was redeemed twice. */
  | 'credential-redeemed-twice'
  /** A subscription was acknowledged, and no change came. */
  | 'silent-subscription'
  /** A response that no promise explains: a wrong result, a status, a hang, a connection that broke without a kill. */
  | 'unexpected-answer'

export interface Violation {
  readonly kind: ViolationKind
  readonly client: string
  readonly explanation: string
  /** The last lines of this client, oldest first. */
  readonly lines: readonly string[]
}

/** Number of lines that a violation prints. */
const MAX_LINES = 40

export class Ledger {
  readonly violations: Violation[] = []
  readonly #counts = new Map<string, number>()
  readonly #clients: ClientLedger[] = []
  readonly #startedAt = performance.now()

  client(name: string): ClientLedger {
    const client = new ClientLedger(this, name)
    this.#clients.push(client)
    return client
  }

  /** Writes a line for every client whose name begins with the prefix. */
  noteAll(prefix: string, text: string): void {
    for (const client of this.#clients) if (client.name.startsWith(prefix)) client.note(text)
  }

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by)
  }

  countOf(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  /** Every count, by name. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => a.localeCompare(b)))
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt)
  }
}

/** The part of one client. */
export class ClientLedger {
  readonly name: string
  readonly #ledger: Ledger
  readonly #lines: string[] = []

  constructor(ledger: Ledger, name: string) {
    this.#ledger = ledger
    this.name = name
  }

  note(text: string): void {
    this.#lines.push(`${this.#ledger.elapsedMs} ms  ${text}`)
    if (this.#lines.length > MAX_LINES) this.#lines.shift()
  }

  count(what: string): void {
    this.#ledger.count(what)
  }

  violation(kind: ViolationKind, explanation: string): void {
    this.note(`VIOLATION ${kind}: ${explanation}`)
    this.#ledger.violations.push({
      kind,
      client: this.name,
      explanation,
      lines: [...this.#lines],
    })
  }
}
