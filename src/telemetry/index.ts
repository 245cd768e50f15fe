/** `edgeway/telemetry`: sinks of telemetry events, and their types. */
export type { CancelReason } from '../ports/cancel-reason.ts'
export type { EventRefusalReason } from '../ports/event-refusal.ts'
export type { GrantRefusalReason } from '../ports/grant-refusal.ts'
export type {
  HttpRequestEvent,
  RequestEvent,
  RequestOutcome,
  RequestStart,
  SpanEvent,
  SpanKind,
  TaskEvent,
} from '../ports/request-event.ts'
export type {
  Leniency,
  RecordingSink,
  SignInRefusalReason,
  TelemetryEvent,
  TelemetrySink,
} from '../ports/telemetry.ts'
export type { OAuthErrorCode } from '../protocol/oauth-error-code.ts'
export type { RefusalName } from '../protocol/refusals.ts'
export type { SpanContext } from '../protocol/trace-context.ts'
export { type AnalyticsEngineOptions, analyticsEngine } from './analytics-engine.ts'
export { type ConsoleSinkOptions, consoleSink } from './console-sink.ts'
export type { TelemetryOption } from './create-telemetry.ts'
export { type SamplingOptions, sampled } from './sampled.ts'
