/** Asks the log for the author's listener at the upstream, which a poll or a stream needs. */

import { exhausted } from '../../../src/protocol/event-errors.ts'
import type { Admitted } from './admit.ts'
import type { EventCaller } from './event-caller.ts'
import { eventError } from './event-error.ts'
import type { EventLimits } from './objects/event-settings.ts'

/**
 * Does nothing for a type without an upstream. Rejects when the listener cannot be started.
 *
 * @throws {ProtocolError} when the caller needs listeners for too many arguments
 */
export async function leaseUpstream(
  { objects, holder, profile }: EventCaller,
  { type, log, argumentsText }: Admitted,
  { upstreamsPerPrincipal }: Pick<EventLimits, 'upstreamsPerPrincipal'>,
): Promise<void> {
  if (type.upstream === undefined) return
  const lease = { arguments: argumentsText, forMs: type.upstream.pollLeaseMs, holder }
  if ((await objects.lease(log, lease)) === 'full') {
    throw eventError(exhausted('upstreams', upstreamsPerPrincipal), profile)
  }
}
