/** The log of a stream in real storage: resuming from any position, after any history. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Retention } from '../../durable-objects/session/schema.ts'
import { SessionStorage } from '../../durable-objects/session/session-storage.ts'
import { StreamLogs } from '../../durable-objects/session/stream-logs.ts'
import { StreamSockets } from '../../durable-objects/session/stream-sockets.ts'
import type { StreamReadRequest } from '../../src/ports/sessions.ts'
import { runs } from './settings.ts'

const STREAM = 'stream'
const RETENTION_MS = 100
const LIMITS = {
  logEvents: 6,
  logBytes: 60,
  totalLogBytes: 10_000,
  logRetentionMs: RETENTION_MS,
  writeStallMs: 1000,
}

interface Sent {
  readonly seq: number
  readonly data: string
}

/** Records what is sent to the reader of the stream, or to a reader that resumes. */
class RecordingSockets extends StreamSockets {
  readonly sent: Sent[] = []
  readonly replayed: Sent[] = []

  override send(_stream: string, seq: number, data: string): void {
    this.sent.push({ seq, data })
  }

  override sendTo(_socket: WebSocket, seq: number, data: string): void {
    this.replayed.push({ seq, data })
  }

  override close(): void {}
}

type Step =
  | { readonly type: 'append'; readonly length: number; readonly retention: Retention }
  /** Readers that resume, from every position. */
  | { readonly type: 'resume' | 'evict' | 'end' }
  | { readonly type: 'wait'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('append'),
      length: fc.oneof(fc.integer({ min: 2, max: 15 }), fc.constant(100)),
      retention: fc.constantFrom(Retention.prunable, Retention.prunable, Retention.always),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('resume') }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('evict') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('end') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wait'), ms: fc.nat({ max: 60 }) }) },
)

/** One stream of answers, with a list of everything that was appended. */
class History {
  readonly #ctx: DurableObjectState
  readonly #appended: (Sent & { readonly retention: Retention })[] = []
  #endedAt: number | undefined
  #sockets: RecordingSockets
  #logs: StreamLogs
  now = 1_000_000

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
    this.#sockets = new RecordingSockets(ctx)
    this.#logs = this.#open()
    this.#logs.open(STREAM, 'answer')
  }

  #open(): StreamLogs {
    this.#sockets = new RecordingSockets(this.#ctx)
    return new StreamLogs(new SessionStorage(this.#ctx.storage), this.#sockets, LIMITS)
  }

  apply(next: Step): void {
    switch (next.type) {
      case 'append':
        if (this.#endedAt === undefined) this.#append(next.length, next.retention)
        break
      case 'resume':
        for (let after = 0; after <= this.#appended.length + 1; after++) {
          this.#resume(after, false)
          this.#resume(after, true)
        }
        break
      case 'evict':
        this.#logs = this.#open()
        break
      case 'end':
        if (this.#endedAt !== undefined) break
        this.#logs.end(STREAM)
        this.#endedAt = this.now
        break
      case 'wait':
        this.now += next.ms
        this.#logs.deleteExpired(this.now, true)
    }
  }

  #append(length: number, retention: Retention): void {
    const seq = this.#appended.length + 1
    const data = `${seq}`.padEnd(length, '.')
    this.#logs.append(STREAM, data, retention)
    this.#appended.push({ seq, data, retention })
    expect(this.#sockets.sent.at(-1)).toEqual({ seq, data })
    const prunable = this.#stored().filter((event) => event.retention === Retention.prunable)
    expect(prunable.length).toBeLessThanOrEqual(LIMITS.logEvents)
    if (retention !== Retention.prunable) return
    // The last event stays, however large it is.
    const size = prunable.reduce((sum, event) => sum + event.data.length, 0)
    expect(prunable.length === 1 || size <= LIMITS.logBytes).toBe(true)
  }

  /** The events that a reader without any receives, with their retention. */
  #stored() {
    return this.#replay(0).map(({ seq }) => {
      const event = this.#appended[seq - 1]
      if (event === undefined) throw new Error(`Event ${seq} was never appended`)
      return event
    })
  }

  #replay(after: number): readonly Sent[] {
    const request = { stream: STREAM, kind: 'answer', after } as StreamReadRequest
    const before = this.#sockets.replayed.length
    this.#logs.replay({} as WebSocket, request)
    return this.#sockets.replayed.slice(before)
  }

  #resume(after: number, live: boolean): void {
    const request = { stream: STREAM, kind: 'answer', after, live } as StreamReadRequest
    const refusal = this.#logs.refusalOf(request)
    const fixed = this.#refusalWithoutLog(after, live)
    if (fixed !== 'none') {
      expect(refusal).toBe(fixed)
      return
    }
    const missed = this.#appended.filter(({ seq }) => seq > after)
    const replayed = this.#replay(after)
    const seqs = new Set(replayed.map(({ seq }) => seq))
    // Only notifications are ever pruned, and only a reader that missed one is refused.
    const stored = missed.filter(
      ({ seq, retention }) => seqs.has(seq) || retention === Retention.always,
    )
    expect(replayed).toEqual(stored.map(({ seq, data }) => ({ seq, data })))
    expect(refusal).toBe(live || stored.length === missed.length ? undefined : 'pruned')
  }

  /** What is refused, or accepted without a replay, whichever events are stored; otherwise `none`. */
  #refusalWithoutLog(after: number, live: boolean) {
    const last = this.#appended.length
    if (this.#endedAt !== undefined && this.#endedAt + RETENTION_MS <= this.now) return 'pruned'
    if (after > last) return live ? undefined : 'ahead'
    return this.#endedAt !== undefined && after === last && !live ? 'complete' : 'none'
  }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the log of a stream', () => {
  it('replays every event after a position or refuses it, and never leaves a gap, after any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const stub = env.MCP_OBJECTS.getByName(crypto.randomUUID())
        await runInDurableObject(stub, (_, ctx) => {
          const history = new History(ctx)
          vi.spyOn(Date, 'now').mockImplementation(() => history.now)
          for (const next of steps) history.apply(next)
          vi.restoreAllMocks()
        })
      }),
      runs(25),
    )
  })
})
