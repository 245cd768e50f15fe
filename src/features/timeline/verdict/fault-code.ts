/** The codes of the faults that a running server can have. Types alone: a Worker bundles no text of the catalogue. */
import type { AUTHORIZATION } from '../../../faults/catalogue/authorization.ts'
import type { DEFINITIONS } from '../../../faults/catalogue/definitions.ts'
import type { DISCOVERY } from '../../../faults/catalogue/discovery.ts'
import type { MESSAGES } from '../../../faults/catalogue/messages.ts'
import type { REACHING } from '../../../faults/catalogue/reaching.ts'

export type DiscoveryCode = keyof typeof DISCOVERY

export type SignInCode = keyof typeof AUTHORIZATION

export type FaultCode =
  | keyof typeof REACHING
  | DiscoveryCode
  | SignInCode
  | keyof typeof MESSAGES
  | keyof typeof DEFINITIONS
