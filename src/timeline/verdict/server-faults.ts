/** The faults that a running server can have: the catalogue without those of a project's configuration. */
import { AUTHORIZATION } from '../../faults/catalogue/authorization.ts'
import { DEFINITIONS } from '../../faults/catalogue/definitions.ts'
import { DISCOVERY } from '../../faults/catalogue/discovery.ts'
import { MESSAGES } from '../../faults/catalogue/messages.ts'
import { REACHING } from '../../faults/catalogue/reaching.ts'
import type { Fault } from '../../faults/fault.ts'

const GROUPS = { ...REACHING, ...DISCOVERY, ...AUTHORIZATION, ...MESSAGES, ...DEFINITIONS }

export type FaultCode = keyof typeof GROUPS

export const FAULTS: Readonly<Record<FaultCode, Fault>> = GROUPS
