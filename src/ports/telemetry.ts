/** What the runtime tells of itself: one closed union of events, and the function that takes them. */
import type { GrantRefusalReason } from './grant-refusal.ts'

/** A fault of a client that is served all the same; `strict: true` refuses each of them. */
export type Leniency =
  | 'accept-incomplete'
  | 'content-type-missing'
  | 'initialize-with-modern-header'
  | 'notification-in-modern-era'
  | 'protocol-version-header-mismatch'
  | 'protocol-version-header-repeated'
  | 'protocol-version-header-unknown'
  | 'response-to-nothing'

export type TelemetryEvent =
  | { readonly type: 'leniency'; readonly name: Leniency; readonly method: string | undefined }
  /** A request that was refused before any method ran. */
  | {
      readonly type: 'refusal'
      readonly name: string
      readonly status: number
      readonly message: string
    }
  /**
   * An author's handler threw. `reference` is what the caller was given instead of the text.
   * `subject` names the definition.
   */
  | {
      readonly type: 'handler-error'
      readonly subject: string
      readonly reference: string
      readonly error: unknown
    }
  /** An author's handler returned what cannot be sent. */
  | {
      readonly type: 'bad-result'
      readonly subject: string
      readonly reference: string
      readonly message: string
    }
  /** A handler asked another question than in the last round in the same place. */
  | { readonly type: 'journal-order-changed'; readonly method: string; readonly message: string }
  /** A handler ended while its ask was still waiting for a step of its own. */
  | { readonly type: 'ask-unsent'; readonly method: string; readonly message: string }
  /** The token endpoint refused a grant. The client receives `error` without the reason. */
  | {
      readonly type: 'grant-refused'
      readonly error: 'invalid_grant' | 'invalid_scope' | 'invalid_target'
      readonly reason: GrantRefusalReason
      /** The reason as a sentence. */
      readonly message: string
    }
  | { readonly type: 'cancelled'; readonly method: string; readonly reason: CancelReason }
  /** A fault of the runtime itself. */
  | { readonly type: 'internal-error'; readonly error: unknown }
  | { readonly type: 'definition-warning'; readonly subject: string; readonly message: string }

export type CancelReason =
  | 'client-gone'
  | 'timeout'
  | 'stalled'
  | 'by-client'
  | 'session-ended'
  | 'access-revoked'

/** Must not throw, and must not block: it runs inside the request. */
export type TelemetrySink = (event: TelemetryEvent) => void
