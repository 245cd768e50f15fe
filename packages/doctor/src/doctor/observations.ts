/** All that the doctor has seen of a server. A member is absent when an earlier fault prevented it. */
import type { Cut, HttpReply } from './http/http-client.ts'
import type { DiscoveryObservation } from './probes/authorization.ts'
import type { BrowserObservation } from './probes/browser.ts'
import type { EventsObservation } from './probes/events/events.ts'
import type { LegacySse } from './probes/legacy-sse.ts'
import type { ModernObservation } from './probes/modern.ts'
import type { ReachObservation } from './probes/reach.ts'
import type { RestartObservation } from './probes/restart.ts'
import type { SessionObservation } from './probes/session.ts'
import type { SignInObservation } from './probes/sign-in.ts'
import type { RefreshObservation } from './probes/token.ts'

export interface Observations {
  /** The URL under test, as people paste it. */
  readonly pasted: URL
  readonly reach: ReachObservation
  /** A GET without a token, at a server that refuses a POST without one. */
  readonly unauthenticatedGet?: HttpReply | undefined
  /** The answer to a request without a token, when it begins authorization. */
  readonly discovery?: DiscoveryObservation
  readonly signIn?: SignInObservation
  /** The access token in use, from the command line or from the sign-in. */
  readonly token?: string
  readonly modern?: ModernObservation
  readonly session?: SessionObservation
  /** With the token, where POST is refused and GET opens a stream of the HTTP+SSE transport. */
  readonly legacySse?: LegacySse | undefined
  readonly browser?: BrowserObservation
  /** The well-known paths of a server without authorization. */
  readonly wellKnown?: readonly HttpReply[]
  readonly refresh?: RefreshObservation
  readonly restart?: RestartObservation
  /** Undefined for a server that declares no events. */
  readonly events?: EventsObservation | undefined
  /** Why the examination ended early. */
  readonly cut?: Cut
}
