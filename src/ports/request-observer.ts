/** What reads one request while it is served: the timeline, and the inspector. */
import type { Background } from './authenticator.ts'
import type { SessionClaims } from './session-claims.ts'
import type { TelemetryEvent, TelemetrySink } from './telemetry.ts'

/** Learns from the parts of the app what a request turns out to be. What it throws is ignored. */
export interface RequestObserver {
  /** Whether it receives `span` events. Default false. */
  readonly receivesSpans?: boolean
  /** @param body a JSON-RPC message, or the items of a batch */
  received(body: unknown): void
  /** @param clientId the authenticated client, or the one that names itself at authorization */
  identified(clientId: string, subject?: string): void
  reported(event: TelemetryEvent): void
  /**
   * Called with the response before it is sent. Its body belongs to the client, so a reader clones it.
   *
   * @param isStream whether the body is a stream, whose messages `sent` receives
   */
  answered(response: Response, isStream: boolean): void
  /** @param session a key of the session, not its id */
  inSession?(session: string, claims: SessionClaims): void
  /** Called with the JSON text of each message of a stream, and its event id if it has one. */
  sent?(json: string, eventId: string | undefined): void
  /** The stream that the response has opened is over. */
  ended?(): void
}

/** Decides for each request whether it reads it. */
export interface RequestReader {
  /** Undefined for a request that it does not read. */
  begin(request: Request, env: unknown, background: Background): RequestObserver | undefined
}

/** Reports to the observer of a request too. */
export function observedBy(
  observer: Pick<RequestObserver, 'reported'>,
  report: TelemetrySink,
): TelemetrySink {
  return (event) => {
    observer.reported(event)
    report(event)
  }
}
