/** The end of a run that needs answers of the client, a time or an event. */

import type { UploadTarget } from '../../protocol/files-extension.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { JournalState } from './journal.ts'
import type { Wait } from './wait.ts'

/** Rejects the call from outside the handler. The handler itself does not continue and does not see it. */
export class Suspension extends Error {
  override readonly name = 'Suspension'
  readonly requests: Readonly<Record<string, JsonObject>>
  readonly state: JournalState
  /** What the handler waits for besides, by key. Only where waits are kept: in a task and in a session. */
  readonly waits: Readonly<Record<string, Wait>>
  /** Whether the state may be redeemed only once. */
  readonly singleUse: boolean
  /** Where the client sends files before the handler runs. Such a run asks nothing. */
  readonly uploads: readonly UploadTarget[] | undefined

  constructor(
    requests: Readonly<Record<string, JsonObject>>,
    state: JournalState,
    singleUse: boolean,
    waits: Readonly<Record<string, Wait>> = {},
    uploads?: readonly UploadTarget[],
  ) {
    super('The handler waits for answers')
    this.requests = requests
    this.state = state
    this.singleUse = singleUse
    this.waits = waits
    this.uploads = uploads
  }
}
