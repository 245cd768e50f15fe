/** The faults that a running server can have: the catalogue without those of a project's configuration. */
import { AUTHORIZATION } from '../faults/catalogue/authorization.ts'
import { DEFINITIONS } from '../faults/catalogue/definitions.ts'
import { DISCOVERY } from '../faults/catalogue/discovery.ts'
import { EVENT_SUBSCRIPTION } from '../faults/catalogue/event-subscription.ts'
import { MESSAGES } from '../faults/catalogue/messages.ts'
import { REACHING } from '../faults/catalogue/reaching.ts'
import type { Fault } from '../faults/fault.ts'
import type { FaultCode } from '../features/timeline/verdict/fault-code.ts'

const FAULTS: Readonly<Record<FaultCode, Fault>> = {
  ...REACHING,
  ...DISCOVERY,
  ...AUTHORIZATION,
  ...MESSAGES,
  ...DEFINITIONS,
  ...EVENT_SUBSCRIPTION,
}

/** Undefined for a code of another release. */
export function findFault(code: string): Fault | undefined {
  return Object.hasOwn(FAULTS, code) ? FAULTS[code as FaultCode] : undefined
}
