/** How long a request holds a call that waits, before its client abandons it. */
import { holdMsOf } from '../clients/limits.ts'
import type { Call } from './call.ts'

/** In milliseconds. The name of a client, which is what it says of itself, can only shorten the time. */
export function holdMs({ client, deployment }: Call): number {
  return holdMsOf(client.info?.name, deployment.limits.holdMs)
}

/** The end of the time from now, in epoch milliseconds. */
export const holdUntil = (call: Call): number => Date.now() + holdMs(call)
