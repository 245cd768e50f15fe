/** Who asks for events: its principal, whose events it gets, and which numbers of errors it knows. */

import type { CallRequest } from '../../../src/internal.ts'
import { clientNetwork } from '../../../src/platform/client-network.ts'
import { sha256Base64Url } from '../../../src/platform/digest.ts'
import type { Caller } from '../../../src/ports/authenticator.ts'
import type { Observe } from '../../../src/ports/request-observer.ts'
import type { TelemetrySink } from '../../../src/ports/telemetry.ts'
import type { ClientCapabilities } from '../../../src/protocol/capabilities.ts'
import { eventErrorProfile } from '../../../src/protocol/event-errors.ts'
import type { EventProfile } from '../../../src/protocol/events.ts'
import { principalDigest } from '../../../src/protocol/principal.ts'
import type { EventDefinition } from './compile-event.ts'
import type { CallbackRules, EventLimits } from './objects/event-settings.ts'
import type { EventObjects } from './objects/port.ts'

/** What is the same for every request. */
export interface EventServer {
  readonly types: ReadonlyMap<string, EventDefinition>
  readonly audience: string
  /** The one principal of all anonymous callers; undefined where they have none. */
  readonly anonymousPrincipal: string | undefined
  readonly limits: EventLimits
  readonly callbacks: CallbackRules
  /** The configured origins of this server, which no delivery goes to. */
  readonly ownOrigins: (env: unknown) => readonly string[]
}

export interface EventCaller {
  /** Undefined for an anonymous caller. */
  readonly caller: Caller | undefined
  /** By whom its streams and leases are counted: its subject, or its network without one. */
  readonly holder: string
  readonly env: unknown
  readonly objects: EventObjects
  readonly profile: EventProfile
  readonly report: TelemetrySink
  /** Observes the request, where something reads it. */
  readonly observe?: Observe | undefined
}

export function createCaller(
  { auth, grant, headers }: Pick<CallRequest, 'auth' | 'grant' | 'headers'>,
  capabilities: ClientCapabilities,
  rest: Pick<EventCaller, 'env' | 'objects' | 'report' | 'observe'>,
): EventCaller {
  const caller = auth && { auth, grant }
  const holder =
    auth === undefined ? `network ${clientNetwork({ headers })}` : `subject ${auth.subject}`
  return { ...rest, caller, holder, profile: eventErrorProfile(capabilities) }
}

/** Whose events a caller gets besides those for everyone. */
export function subjectOf(
  { anonymousPrincipal }: EventServer,
  { caller }: EventCaller,
): string | undefined {
  return caller?.auth.subject ?? anonymousPrincipal
}

/** The digest of the principal; undefined for a caller without one. */
export async function principalOf(
  server: EventServer,
  { caller }: EventCaller,
): Promise<string | undefined> {
  return caller === undefined ? anonymousDigest(server) : principalDigest(caller.auth)
}

/** The digest of the principal of anonymous callers; undefined where they have none. */
export async function anonymousDigest({
  audience,
  anonymousPrincipal,
}: EventServer): Promise<string | undefined> {
  if (anonymousPrincipal === undefined) return undefined
  return sha256Base64Url(JSON.stringify([audience, 'anonymous', anonymousPrincipal]))
}
