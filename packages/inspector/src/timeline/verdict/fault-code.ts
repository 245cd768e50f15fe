/** The codes of the faults that a running server can have. Types alone: a Worker bundles no text of the catalogue. */
import type { AUTHORIZATION } from '../../../../faults/src/catalogue/authorization.ts'
import type { CONFIGURATION } from '../../../../faults/src/catalogue/configuration.ts'
import type { DEFINITION_ANSWERS } from '../../../../faults/src/catalogue/definition-answers.ts'
import type { DEFINITIONS } from '../../../../faults/src/catalogue/definitions.ts'
import type { DISCOVERY } from '../../../../faults/src/catalogue/discovery.ts'
import type { EVENT_SUBSCRIPTION } from '../../../../faults/src/catalogue/event-subscription.ts'
import type { EVENTS } from '../../../../faults/src/catalogue/events.ts'
import type { FaultCode as AnyCode } from '../../../../faults/src/faults.ts'

/** Faults that the requests of one connection cannot show. */
type UnseenCode =
  // Another program may have sent the GET.
  | 'get-without-challenge'
  // This server has one challenge, and answers at the first place without a redirect.
  | 'challenge-not-first'
  | 'metadata-redirected'
  | 'server-metadata-shadowed'
  // The metadata of this server has it.
  | 'refresh-not-advertised'
  | 'registration-limited'
  | 'authorization-page-missing'
  | 'invalid-client-missing'
  | 'refresh-not-concurrent'
  | 'authorization-lost-at-restart'

export type DiscoveryCode = Exclude<keyof typeof DISCOVERY, UnseenCode>

export type SignInCode = Exclude<keyof typeof AUTHORIZATION, UnseenCode>

export type FaultCode = Exclude<
  AnyCode,
  | keyof typeof CONFIGURATION
  | Exclude<keyof typeof DEFINITIONS, keyof typeof DEFINITION_ANSWERS>
  | Exclude<keyof typeof EVENTS, keyof typeof EVENT_SUBSCRIPTION>
>
