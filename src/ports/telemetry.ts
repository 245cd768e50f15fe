/** The events that the runtime reports, as one closed union, and the function that receives them. */
import type { OAuthErrorCode } from '../protocol/oauth-error-code.ts'
import type { RefusalName } from '../protocol/refusals.ts'
import type { CancelReason } from './cancel-reason.ts'
import type { GrantRefusalReason } from './grant-refusal.ts'
import type { HttpRequestEvent, RequestEvent, SpanEvent, TaskEvent } from './request-event.ts'

/** A client fault that is served. `strict: true` refuses it. */
export type Leniency =
  | 'accept-incomplete'
  | 'arguments-repaired'
  | 'client-assertion-audience'
  | 'client-info-malformed'
  | 'content-type-missing'
  | 'initialize-with-modern-header'
  | 'notification-in-modern-era'
  | 'protocol-version-header-mismatch'
  | 'protocol-version-header-repeated'
  | 'protocol-version-header-unknown'
  | 'unexpected-response'

/** The leniencies of the endpoint. Those of arguments and of authorization have no JSON-RPC refusal. */
export type EndpointLeniency = Exclude<Leniency, 'arguments-repaired' | 'client-assertion-audience'>

/** Why a sign-in was refused. `docs/reference/reasons.md` explains each. */
export type SignInRefusalReason =
  | 'api-key-throttled'
  | 'api-key-unchecked'
  | 'api-key-wrong'
  | 'other-subject'
  | 'passphrase-throttled'
  | 'passphrase-too-short'
  | 'passphrase-unset'
  | 'passphrase-wrong'
  | 'person-not-allowed'

export type TelemetryEvent =
  | RequestEvent
  | HttpRequestEvent
  | SpanEvent
  | TaskEvent
  | { readonly type: 'leniency'; readonly name: Leniency; readonly method: string | undefined }
  /**
   * A request was rejected before any method ran. Authorization reports the OAuth error code, or
   * `token-missing` for a request without an access token.
   */
  | {
      readonly type: 'refusal'
      readonly name: RefusalName | OAuthErrorCode | 'token-missing'
      readonly status: number
      /** The class of rate limits that the request exceeds. */
      readonly limitClass?: string | undefined
      readonly message: string
    }
  /**
   * A handler threw. `subject` names the definition. The client received `reference` instead of the
   * error's text.
   */
  | {
      readonly type: 'handler-error'
      readonly subject: string
      readonly reference: string
      readonly error: unknown
    }
  /** A handler returned a result that cannot be sent. */
  | {
      readonly type: 'bad-result'
      readonly subject: string
      readonly reference: string
      readonly message: string
    }
  /**
   * A tool returned more text than its client passes on to the model. `measured` is in tokens an
   * estimate. `client` is the name that the client says of itself.
   */
  | {
      readonly type: 'result-over-client-limit'
      readonly subject: string
      readonly client: string
      readonly measured: number
      readonly limit: number
      readonly unit: 'characters' | 'bytes' | 'tokens'
    }
  /**
   * A client has called a deprecated tool; counted once for a call that asks or waits. `client` is the name that the client says of
   * itself, cut.
   */
  | {
      readonly type: 'deprecated-call'
      readonly tool: string
      readonly use: string
      readonly client: string
    }
  /** A handler asked a different question than in the previous round at the same place. */
  | { readonly type: 'journal-order-changed'; readonly method: string; readonly message: string }
  /** A handler returned while one of its asks still waited for a step. */
  | { readonly type: 'ask-unsent'; readonly method: string; readonly message: string }
  /** The token endpoint refused a grant. The client receives `error` without the reason. */
  | {
      readonly type: 'grant-refused'
      readonly error: 'invalid_grant' | 'invalid_scope' | 'invalid_target'
      readonly reason: GrantRefusalReason
      /** The reason as a sentence. */
      readonly message: string
    }
  /** A person did not sign in. */
  | {
      readonly type: 'sign-in-refused'
      readonly reason: SignInRefusalReason
      /** The reason as a sentence. Contains nothing that the person has entered. */
      readonly message: string
    }
  | { readonly type: 'cancelled'; readonly method: string; readonly reason: CancelReason }
  /** A call has become a task. `subject` names the tool. */
  | { readonly type: 'task-created'; readonly subject: string }
  /** An occurrence was stored. `event` names its type. */
  | { readonly type: 'event-emitted'; readonly event: string }
  /**
   * What became of an attempt to deliver an event to a callback. `reason` is a {@link CallbackFault}, the word of an
   * error of the extension, or absent. Never contains a secret, a URL or what the callback has answered.
   */
  | {
      readonly type: 'event-delivery'
      readonly event: string
      readonly outcome: 'delivered' | 'retried' | 'abandoned' | 'dropped'
      readonly subscription: string
      readonly reason?: string
    }
  /** What became of a subscription, or of a request for one. */
  | {
      readonly type: 'event-subscription'
      readonly event: string
      readonly outcome: 'created' | 'refreshed' | 'suspended' | 'ended' | 'expired' | 'refused'
      /** Undefined for a request that was refused before it had an id. */
      readonly subscription: string | undefined
      readonly reason?: string
    }
  /**
   * A text was refused as invalid because it says that a newer version of Edgeway sealed it, as after
   * a rollback. Anyone can write such a text. `purpose` is its name and version, such as `session-id/2`.
   */
  | { readonly type: 'sealed-by-newer-version'; readonly purpose: string }
  /** A fault of the runtime. */
  | { readonly type: 'internal-error'; readonly error: unknown }
  | { readonly type: 'definition-warning'; readonly subject: string; readonly message: string }

/** What becomes of subscriptions and their deliveries, as their objects report it. */
export type EventReport = Extract<
  TelemetryEvent,
  { readonly type: 'event-delivery' | 'event-subscription' }
>

/**
 * Receives all events except those of requests and spans, which a {@link RecordingSink} receives. It is called
 * while the request is served. What it throws is ignored.
 */
export type TelemetrySink = (event: TelemetryEvent) => void

/** A sink that also receives the events of requests, and of spans if it asks for them. */
export interface RecordingSink {
  /** Whether it receives `request` and `http-request` events. Default true. */
  readonly requests?: boolean
  /** Whether it receives `span` events. Default false. */
  readonly spans?: boolean
  /**
   * Called while the request is served, so it must not block. What it throws is ignored.
   *
   * @param env the Worker's bindings
   */
  record(event: TelemetryEvent, env: unknown): void
  /** Called after the events of each request, to send what the sink has collected. Must not throw. */
  flush?(env: unknown, waitUntil: (promise: Promise<unknown>) => void): void
}

/** The sinks of an app as one. */
export interface Telemetry {
  readonly report: TelemetrySink
  /** Whether a sink receives the events of requests. Otherwise they are not created for telemetry. */
  readonly recordsRequests: boolean
  readonly recordsSpans: boolean
  /** Names the environment of the Worker before its events. */
  enter(env: unknown): void
  /** Lets the sinks send what they have collected. */
  flush(waitUntil: (promise: Promise<unknown>) => void): void
}
