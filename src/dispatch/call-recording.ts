/** What a call tells the recording of its request, while a sink receives the events of requests. */
import type { CancelReason } from '../ports/cancel-reason.ts'
import type { SpanRecording } from './span-recording.ts'

export interface CallRecording {
  /** The innermost span that has begun; undefined when no sink receives spans. */
  readonly spans: SpanRecording | undefined
  /** The registered name that the request names. */
  readonly name: string | undefined
  /** What follows is inside the span of the handler. */
  enterHandler(spans: SpanRecording): void
  /** The request calls a Durable Object. */
  markObject(): void
  /** The result has `isError`. */
  markToolError(): void
  /** The client receives this reference instead of the text of an error. */
  failed(reference: string): void
  cancelled(reason: CancelReason): void
}
