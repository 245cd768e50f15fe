/** How long a request holds a call that waits, before its client abandons it. */
import { holdMsOf } from '../../../clients/limits.ts'
import type { Call } from '../../../dispatch/call.ts'
import type { Tasks } from '../../../ports/tasks.ts'

/** In milliseconds. The name of a client, which is what it says of itself, can only shorten the time. */
export const holdMs = ({ client }: Call, { limits }: Tasks): number =>
  holdMsOf(client.info?.name, limits.holdMs)
