/** Records the spans inside one request or one run of a task. */
import type { SpanEvent, SpanKind } from '../ports/request-event.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import { childOf, type SpanContext } from '../protocol/trace-context.ts'
import { Suspension } from './journal/suspension.ts'

/** Spans of one request. A handler that calls in a loop must not fill the memory of a sink. */
const MAX_SPANS = 128

export class SpanRecording {
  readonly context: SpanContext
  readonly #report: TelemetrySink
  readonly #methodOf: () => string | undefined
  readonly #count: { left: number }

  /** @param context of the span that contains the others */
  constructor(
    report: TelemetrySink,
    context: SpanContext,
    methodOf: () => string | undefined,
    count = { left: MAX_SPANS },
  ) {
    this.context = context
    this.#report = report
    this.#methodOf = methodOf
    this.#count = count
  }

  /** Runs `work` in a span. It returns a promise only if `work` does, so that a quick call stays quick. */
  within<T>(kind: SpanKind, name: string, work: (inner: SpanRecording) => T): T {
    if (this.#count.left <= 0) return work(this)
    this.#count.left -= 1
    const trace = childOf(this.context)
    const startedAt = Date.now()
    const end = (outcome: SpanEvent['outcome']) =>
      this.#report({
        type: 'span',
        kind,
        name,
        method: this.#methodOf(),
        startedAt,
        durationMs: Math.max(0, Date.now() - startedAt),
        outcome,
        trace,
      })
    const fail = (error: unknown) => end(error instanceof Suspension ? 'suspended' : 'error')
    const inner = new SpanRecording(this.#report, trace, this.#methodOf, this.#count)
    let returned: T
    try {
      returned = work(inner)
    } catch (error) {
      fail(error)
      throw error
    }
    if (returned instanceof Promise) returned.then(() => end('ok'), fail)
    else end('ok')
    return returned
  }
}
