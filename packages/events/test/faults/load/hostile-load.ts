/** Measures how hostile callers and receivers affect the deliveries of others, and the memory of the server. */
import { writeFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { delay } from '../../../../../test/faults/sessions/delay.ts'
import { peakMegabytes, residentMegabytes } from '../../../../../test/faults/sessions/memory.ts'
import { loadAverage } from './load-average.ts'
import { LoadReceiver } from './load-receiver.ts'
import { type LoadAnswer, LoadServer, some } from './load-server.ts'

/** How hostile receivers answer. The last two also treat the challenge so. */
export const HOSTILE_PATHS = ['/gigabyte', '/endless', '/never', '/reset', '/silent', '/flooding']

export interface HostileOptions {
  /** Principals whose deliveries are measured, with one subscription each. */
  readonly others: number
  /** Subscribes of a flood. */
  readonly flood: number
  /** Principals for each kind of hostile receiver, with ten subscriptions each. */
  readonly receivers: number
  /** How long deliveries to hostile receivers are watched. */
  readonly seconds: number
  readonly onProgress?: (line: string) => void
}

export type HostileReport = Readonly<Record<string, HostilePart>>

export interface HostilePart {
  readonly seconds: number
  /** Of the deliveries to the others: milliseconds from the emit to the arrival. */
  readonly deliveries: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Resident memory of the server. */
  readonly megabytesBefore: number
  readonly megabytesPeak: number
  /** Answers to hostile subscribes, by their reason. */
  readonly answers: Readonly<Record<string, number>>
  /** Challenges that receivers have got. */
  readonly challenges: number
  /** Deliveries that hostile receivers have got. */
  readonly hostileDeliveries: number
  readonly load: number
}

const EMIT_EVERY_MS = 500
const DELIVERED_MS = 60_000
const SUBSCRIPTIONS = 10
const PARALLEL = 32
const MINUTE_MS = 60_000

export async function measureHostileLoad(options: HostileOptions): Promise<HostileReport> {
  const receiver = await LoadReceiver.start()
  const server = await LoadServer.start({ SUBSCRIPTIONS_PER_PRINCIPAL: '100', CHALLENGE: '1' })
  try {
    const load = new HostileLoad(server, receiver, options)
    await load.subscribeOthers()
    const report: Record<string, HostilePart> = {}
    const parts: Record<string, () => Promise<void>> = {
      quiet: () => delay(options.seconds * 1000),
      'flood of one principal': () => load.flood(() => 1_000_000),
      'flood of many principals': () => load.flood((number) => 2_000_000 + (number % 1000)),
      'hostile receivers': () => load.subscribeHostile(),
    }
    for (const [name, act] of Object.entries(parts)) {
      report[name] = await load.measure(act)
      options.onProgress?.(`${name}: ${JSON.stringify(report[name])}`)
    }
    return report
  } finally {
    receiver.stop()
    await server.stop()
  }
}

class HostileLoad {
  readonly #server: LoadServer
  readonly #receiver: LoadReceiver
  readonly #options: HostileOptions
  #answers: Record<string, number> = {}

  constructor(server: LoadServer, receiver: LoadReceiver, options: HostileOptions) {
    this.#server = server
    this.#receiver = receiver
    this.#options = options
  }

  async subscribeOthers(): Promise<void> {
    for (let principal = 0; principal < this.#options.others; principal++) {
      const answer = await this.#subscribe(principal, 'load.many', 'room', `/other/${principal}`)
      if (answer.result === undefined) throw new Error(`subscribe: ${JSON.stringify(answer)}`)
    }
  }

  /** As fast as the server answers, and at most in a minute. */
  async flood(principalOf: (number: number) => number): Promise<void> {
    const until = performance.now() + MINUTE_MS
    const numbers = Array.from({ length: this.#options.flood }, (_, number) => number)
    await some(numbers, PARALLEL, async (number) => {
      if (performance.now() > until) return
      const principal = principalOf(number)
      this.#note(
        await this.#subscribe(principal, 'load.hostile', `room-${number}`, `/flood/${number}`),
      )
    })
  }

  /** Subscribes the hostile receivers to what the others receive, and watches. */
  async subscribeHostile(): Promise<void> {
    const { receivers, seconds } = this.#options
    const all = HOSTILE_PATHS.flatMap((path, kind) =>
      Array.from({ length: receivers * SUBSCRIPTIONS }, (_, number) => ({ path, kind, number })),
    )
    await some(all, PARALLEL, async ({ path, kind, number }) => {
      const principal = 3_000_000 + kind * 1000 + Math.floor(number / SUBSCRIPTIONS)
      this.#note(await this.#subscribe(principal, 'load.many', 'room', `${path}/${number}`))
    })
    await delay(seconds * 1000)
  }

  /** Emits to the others while something happens. */
  async measure(act: () => Promise<void>): Promise<HostilePart> {
    const { others } = this.#options
    const startedAt = performance.now()
    const before = {
      challenges: this.#receiver.challenges,
      arrivals: this.#receiver.arrivals.length,
    }
    const megabytesBefore = await residentMegabytes(this.#server.pid)
    // Resets the peak. @see https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
    await writeFile(`/proc/${this.#server.pid}/clear_refs`, '5')
    this.#answers = {}
    let isOver = false
    const emitted = new Map<string, number>()
    const emit = async () => {
      while (!isOver) {
        const at = Date.now()
        const { eventIds } = await this.#server.emit({ type: 'load.many', room: 'room' })
        emitted.set(eventIds[0] ?? '', at)
        await delay(EMIT_EVERY_MS)
      }
    }
    const acting = act().finally(() => {
      isOver = true
    })
    await Promise.all([acting, emit()])
    const seconds = (performance.now() - startedAt) / 1000
    const latencies = await this.#latencies(emitted, others)
    const at = (part: number) => latencies[Math.ceil(latencies.length * part) - 1] ?? Number.NaN
    const arrivals = this.#receiver.arrivals.slice(before.arrivals)
    return {
      ...{ seconds, deliveries: latencies.length },
      ...{ medianMs: at(0.5), p99Ms: at(0.99), maxMs: at(1) },
      megabytesBefore: Math.round(megabytesBefore),
      megabytesPeak: Math.round(await peakMegabytes(this.#server.pid)),
      answers: this.#answers,
      challenges: this.#receiver.challenges - before.challenges,
      hostileDeliveries: arrivals.filter(({ path }) => !path.startsWith('/other')).length,
      load: loadAverage(),
    }
  }

  /** Sorted, when all have arrived. */
  async #latencies(emitted: ReadonlyMap<string, number>, others: number): Promise<number[]> {
    const until = performance.now() + DELIVERED_MS
    for (;;) {
      const first = new Map<string, number>()
      for (const [event, emittedAt] of emitted) {
        for (const { path, at } of this.#receiver.of(event)) {
          const key = `${event} ${path}`
          if (path.startsWith('/other') && !first.has(key)) first.set(key, at - emittedAt)
        }
      }
      if (first.size >= emitted.size * others) return [...first.values()].sort((a, b) => a - b)
      if (performance.now() > until) {
        throw new Error(`${first.size} of ${emitted.size * others} deliveries have arrived`)
      }
      await delay(100)
    }
  }

  #subscribe(principal: number, type: string, room: string, path: string): Promise<LoadAnswer> {
    return this.#server.subscribe({ principal, type, room, url: this.#receiver.url(path) })
  }

  #note({ result, error }: LoadAnswer): void {
    const reason = result === undefined ? JSON.stringify(error?.data ?? error) : 'subscribed'
    this.#answers[reason] = (this.#answers[reason] ?? 0) + 1
  }
}
