/** How a handler's run ends before its answer: with questions for the client. */
import type { JsonObject } from '../../protocol/json.ts'
import type { JournalState } from './journal.ts'

/** Thrown past the author's code, never through it: the handler just does not go on. */
export class Suspension extends Error {
  override readonly name = 'Suspension'
  readonly requests: Readonly<Record<string, JsonObject>>
  readonly state: JournalState
  /** Whether the state may be redeemed once only. */
  readonly singleUse: boolean

  constructor(
    requests: Readonly<Record<string, JsonObject>>,
    state: JournalState,
    singleUse: boolean,
  ) {
    super('The handler waits for answers')
    this.requests = requests
    this.state = state
    this.singleUse = singleUse
  }
}
