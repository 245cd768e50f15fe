/** Authorization codes and request states, which are redeemed once; and chains of refresh tokens. */
import type { ClientLedger } from './ledger.ts'

/** What is redeemed once. */
export class SingleUse {
  readonly #ledger: ClientLedger
  readonly #what: string
  /** Presented with an unknown result: it may be redeemed. */
  #mayBeRedeemed = false
  #isRedeemed = false

  constructor(ledger: ClientLedger, what: string) {
    this.#ledger = ledger
    this.#what = what
  }

  /** The response to a redemption was lost. */
  lost(): void {
    this.#mayBeRedeemed = true
  }

  succeeded(): void {
    if (this.#isRedeemed) {
      this.#ledger.violation('credential-redeemed-twice', `${this.#what} was redeemed twice`)
    }
    this.#isRedeemed = true
  }

  refused(): void {
    if (this.#isRedeemed || this.#mayBeRedeemed) return
    const text = `${this.#what} was refused before it was redeemed`
    this.#ledger.violation('forgotten-credential', text)
  }
}

/**
 * A refused refresh is explained when the first redemption is older than this, in milliseconds: the
 * server repeats its response for 30 seconds.
 */
const EXPLAINED_AFTER_MS = 25_000

/** The refresh tokens of one grant. */
export class RefreshChain {
  readonly #ledger: ClientLedger
  /** When the newest token was first presented. */
  #presentedAt: number | undefined
  #successor: string | undefined

  constructor(ledger: ClientLedger) {
    this.#ledger = ledger
  }

  /** The newest token is presented. */
  present(now: number): void {
    this.#presentedAt ??= now
  }

  succeeded(successor: string): void {
    if (this.#successor !== undefined && this.#successor !== successor) {
      const text = 'One refresh token has two different successors'
      this.#ledger.violation('credential-redeemed-twice', text)
    }
    this.#successor = successor
  }

  /** The successor is the newest token from now on. */
  advance(): void {
    this.#presentedAt = undefined
    this.#successor = undefined
  }

  /** Returns whether the refusal is explained. */
  refused(now: number): boolean {
    const age = now - (this.#presentedAt ?? now)
    if (age >= EXPLAINED_AFTER_MS) return true
    const text = `The newest refresh token was refused, ${age} ms after it was first presented`
    this.#ledger.violation('forgotten-credential', text)
    return false
  }
}
