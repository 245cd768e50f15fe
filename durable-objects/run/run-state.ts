/**
 * The states of a run, the events that change them, and the effects that a decision returns. Plain
 * data: `decide-run.ts` decides, and the object that owns the run applies the effects.
 */
import type { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Answer } from '../../src/dispatch/outcome.ts'
import type { CancelReason } from '../../src/ports/cancel-reason.ts'
import type { JsonValue } from '../../src/protocol/json.ts'

/** How often a run has asked, and how often it was interrupted. Both are bounded. */
export interface RunCounts {
  readonly rounds: number
  readonly interruptions: number
}

/**
 * - `quick`: no row; the handler is in memory, and the call that brought the request returns its answer.
 * - `running`: has a row; the handler is in memory.
 * - `waiting`: has a row, its journal and open asks; no handler is in memory.
 * - `ready`: has a row and everything to continue; its handler starts when its caller has been renewed.
 * - `interrupted`: has a row that says running, but its handler was lost with the object's memory.
 * - `answered`, `cancelled`: over.
 */
export type RunState =
  | { readonly name: 'quick' }
  | ({ readonly name: 'running' } & RunCounts)
  | ({ readonly name: 'interrupted' } & RunCounts)
  | ({
      readonly name: 'waiting'
      /** Journal keys of the asks without a response. */
      readonly openAsks: readonly string[]
      /** Epoch milliseconds. Responses are rejected from then on. */
      readonly expiresAt: number
    } & RunCounts)
  | ({
      readonly name: 'ready'
      /** Whether the last handler was lost, so that the log alone knows all that it sent. */
      readonly wasInterrupted: boolean
    } & RunCounts)
  | { readonly name: 'answered' | 'cancelled' }

/** A state that a row can hold. A row that says running, read without a handler, is `interrupted`. */
export type StoredState = Extract<RunState, { readonly name: 'running' | 'waiting' | 'ready' }>

/** A client's response to an ask as it is recorded: its result, or why it refused. */
export interface AskResponse {
  readonly kind: 'fresh' | 'refusal'
  readonly value: JsonValue
}

export type RunEvent =
  /** The run must outlive the object's memory from now on. */
  | { readonly type: 'persist' }
  /** The handler sends a notification. */
  | { readonly type: 'notify'; readonly message: string }
  /** The handler cannot continue without responses of the client. */
  | { readonly type: 'ask'; readonly suspension: Suspension; readonly expiresAt: number }
  /** The handler has returned, thrown, or exceeded its timeout. */
  | { readonly type: 'settle'; readonly answer: Answer }
  /** The client responds to one ask. */
  | {
      readonly type: 'respond'
      readonly key: string
      readonly response: AskResponse
      readonly now: number
      /** Whether the handler resumes although other asks are open: it may race them. Default false. */
      readonly resumes?: boolean
    }
  /** The handler has done a part that an interruption does not repeat. */
  | { readonly type: 'advance' }
  /** The client cancels the request. */
  | { readonly type: 'cancel' }
  /** The session ends; its rows are deleted with it. */
  | { readonly type: 'terminate' }
  /** The object is in memory again, or its alarm fires. */
  | { readonly type: 'recover'; readonly isRepeatable: boolean }
  /** The access of the run's caller was checked again. */
  | { readonly type: 'renew'; readonly isAuthorized: boolean }
  | { readonly type: 'expire'; readonly now: number }

/** Why a run ends without an answer of its handler. */
export type RunFailure =
  | 'access-revoked'
  | 'too-many-rounds'
  | 'asks-expired'
  | 'interrupted'
  | 'interrupted-too-often'

/** Why open asks are withdrawn. */
export type WithdrawReason = 'cancelled' | 'ended'

/** What storage does. All effects of one decision commit in one transaction, in order. */
export type DurableEffect =
  /** Writes the row of the run with its request and the journal so far. */
  | { readonly type: 'persist' }
  /** Writes the state to the row. */
  | { readonly type: 'save'; readonly state: StoredState }
  | { readonly type: 'notify'; readonly message: string }
  /** Writes the asks and the record of what was sent, and sends the asks. */
  | { readonly type: 'send-asks'; readonly suspension: Suspension; readonly expiresAt: number }
  /** Writes a response to the journal and closes its ask. */
  | { readonly type: 'record-response'; readonly key: string; readonly response: AskResponse }
  | { readonly type: 'withdraw-asks'; readonly reason: WithdrawReason }
  /** Sends the answer of the handler. */
  | { readonly type: 'answer'; readonly answer: Answer }
  /** Sends an answer that states the failure. */
  | { readonly type: 'fail'; readonly failure: RunFailure }
  /** Ends the run: its row and its journal are not needed any more. */
  | { readonly type: 'finish' }
  /** Sets an alarm: at the latest at `by`, or soon for a run whose handler is in memory. */
  | { readonly type: 'schedule'; readonly by: number | undefined }

/** What happens in memory, in order, after the transaction. A kill of the object may prevent any of it. */
export type MemoryEffect =
  /** Returns the answer through the call that brought the request. */
  | { readonly type: 'reply'; readonly answer: Answer }
  /** Checks the access of the run's caller; the result is a `renew` event. */
  | { readonly type: 'renew-caller' }
  /** Runs the handler again from the top, with its journal. */
  | { readonly type: 'resume'; readonly wasInterrupted: boolean }
  | { readonly type: 'abort'; readonly reason: CancelReason }

export interface RunDecision {
  readonly state: RunState
  readonly effects: {
    readonly durable: readonly DurableEffect[]
    readonly memory: readonly MemoryEffect[]
  }
}

export interface RunLimits {
  readonly rounds: number
  readonly interruptions: number
}
