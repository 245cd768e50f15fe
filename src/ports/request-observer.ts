/** What reads requests besides telemetry while they are served: the timeline, and the inspector. */
import type { Implementation } from '../protocol/content.ts'
import type { Background } from './authenticator.ts'
import type { EventRefusalReason } from './event-refusal.ts'
import type { ObservedExchange } from './request-event.ts'
import type { SessionClaims } from './session-claims.ts'
import type { TelemetryEvent } from './telemetry.ts'

/** What the parts of the app learn of one request, in this order. The events of telemetry are part of it. */
export type RequestMoment =
  | TelemetryEvent
  /**
   * A JSON-RPC message, or the items of a batch. `version` and `client` are what the first message says of its
   * sender.
   */
  | {
      readonly type: 'received'
      readonly body: unknown
      readonly version: string | undefined
      readonly client: Implementation | undefined
    }
  /** The form of a token request, before it is checked. */
  | { readonly type: 'form'; readonly form: URLSearchParams }
  /** The authenticated client, or the one that names itself at authorization. */
  | { readonly type: 'identified'; readonly clientId: string; readonly subject?: string }
  /** `session` is a key of the session, not its id. */
  | { readonly type: 'session'; readonly session: string; readonly claims: SessionClaims }
  /** The JSON text of one message of a stream, and its event id if it has one. */
  | { readonly type: 'sent'; readonly json: string; readonly eventId: string | undefined }
  /** `events/subscribe` was answered. `event` names the type; it is empty where no type has the name. */
  | {
      readonly type: 'subscribing'
      readonly event: string
      readonly refusal: EventRefusal | undefined
    }
  /** The response before it is sent. Its body belongs to the client. */
  | {
      readonly type: 'answered'
      readonly response: Response
      /** Whether the body is a stream, whose messages are `sent`. */
      readonly isStream: boolean
      /**
       * Reads a copy of the body, one for all observers; undefined for a body of more than 1 MB. Must be called
       * before the response is sent. Rejects for a broken connection.
       */
      readonly text: () => Promise<string | undefined>
    }
  /** The stream that the response has opened is over. */
  | { readonly type: 'ended' }

export interface EventRefusal {
  readonly reason: EventRefusalReason
  /** The reason as a sentence of the server. Empty where the word says it. */
  readonly message: string
}

export type Observe = (moment: RequestMoment) => void

export interface RequestObserver {
  /** Whether it receives `span` events. Default false. */
  readonly receivesSpans?: boolean
  /** By which the observation continues in objects. */
  readonly exchange?: ObservedExchange | undefined
  /** What it throws is ignored. */
  observe(moment: RequestMoment): void
}

/** Decides for each request whether it reads it. */
export interface RequestReader {
  /** Undefined for a request that it does not read. */
  begin(request: Request, env: unknown, background: Background): RequestObserver | undefined
  /**
   * Observes what runs in an object of a session or a task.
   *
   * @param exchange of the request that has started it; undefined for the status of a task
   */
  resume?(
    exchange: ObservedExchange | undefined,
    env: unknown,
    background: Background,
  ): RequestObserver | undefined
}
