/**
 * How long a request holds a call that waits, before its client abandons it.
 *
 * 45 seconds: the official SDKs wait for a minute, and few clients begin their time anew at progress. A name can
 * shorten the time and do nothing else, because directories refuse servers that behave by name.
 */
import { holdMsOf } from '../../../clients/limits.ts'
import type { Call } from '../../../dispatch/call.ts'
import type { Tasks } from '../../../ports/tasks.ts'

/** In milliseconds. The name of a client, which is what it says of itself, can only shorten the time. */
export const holdMs = ({ client }: Call, { limits }: Tasks): number =>
  holdMsOf(client.info?.name, limits.holdMs)
