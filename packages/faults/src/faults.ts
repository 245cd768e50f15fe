/**
 * The catalogue of faults: what makes clients fail at an MCP server, why, and what to do about it.
 * `edgeway doctor` finds them, and docs/reference/faults.md lists them. Codes are stable.
 */
import { AUTHORIZATION } from './catalogue/authorization.ts'
import { CONFIGURATION } from './catalogue/configuration.ts'
import { DEFINITIONS } from './catalogue/definitions.ts'
import { DISCOVERY } from './catalogue/discovery.ts'
import { EVENTS } from './catalogue/events.ts'
import { MESSAGES } from './catalogue/messages.ts'
import { REACHING } from './catalogue/reaching.ts'
import type { Fault } from './fault.ts'

/** In the order in which a client meets them. */
export const FAULT_GROUPS = {
  'Reaching the endpoint': REACHING,
  'Finding the authorization server': DISCOVERY,
  'Signing in': AUTHORIZATION,
  'Messages, sessions and streams': MESSAGES,
  'Tools, lists and results': DEFINITIONS,
  Events: EVENTS,
  'Configuration of a project': CONFIGURATION,
} as const

type Groups = typeof FAULT_GROUPS

export type FaultCode = { [Title in keyof Groups]: keyof Groups[Title] }[keyof Groups]

export const FAULTS: Readonly<Record<FaultCode, Fault>> = Object.assign(
  {},
  ...Object.values(FAULT_GROUPS),
)
