/** Measures a server with many subscriptions: what `emit` costs, when occurrences arrive, and what is billed. */
import { cpus } from 'node:os'
import { performance } from 'node:perf_hooks'
import { delay } from '../../../../../test/faults/sessions/delay.ts'
import { residentMegabytes } from '../../../../../test/faults/sessions/memory.ts'
import { cpuSeconds } from '../../../../bench/measure/processor.ts'
import { loadAverage } from './load-average.ts'
import { LoadReceiver } from './load-receiver.ts'
import { type Counts, LoadServer, some } from './load-server.ts'

export interface LoadOptions {
  readonly principals: number
  readonly subscriptions: number
  /** Receives a line of text at each step. */
  readonly onProgress?: (line: string) => void
}

/** What must be reached. */
export const BARS = {
  /** Of `emit` with subscribers, compared to `emit` without. */
  emitRatio: 1.2,
  outboxSeconds: 5,
  deliveredSeconds: 60,
  emitObjectRequests: 1,
} as const

const SUBSCRIBES_AT_A_TIME = 16
const SAMPLES = 100
const EMIT_PAUSE_MS = 250
const RATE_EMITS = 2_000
const ROUNDS = 3

/** Counts need no large server. */
const COUNTED_PRINCIPALS = 100
const COUNTED_SUBSCRIPTIONS = 1_000
const COUNTED_EMITS = 20
const DELIVERIES_TIMEOUT_MS = 600_000
const POLL_MS = 20

export async function measureLoad({ principals, subscriptions, onProgress }: LoadOptions) {
  const progress = onProgress ?? (() => undefined)
  const receiver = await LoadReceiver.start()
  try {
    const counted = await withServer({ COUNTS: '1' }, async (server) => {
      const load = new Load(server, receiver, COUNTED_PRINCIPALS, COUNTED_SUBSCRIPTIONS)
      const counts = await load.count()
      await load.subscribeAll(() => undefined)
      const one = await load.countOne()
      return { one, counts: { ...counts, 'emit-to-1000': await load.countAll() } }
    })
    progress(`counted: ${JSON.stringify(counted)}`)
    const measured = await withServer({}, async (server) => {
      const memory = async () => Math.round(await residentMegabytes(server.pid))
      const load = new Load(server, receiver, principals, subscriptions)
      const megabytes = [await memory()]
      const subscribed = await load.subscribeAll(progress)
      megabytes.push(await memory())
      const emit = await load.compareEmits()
      progress(`emit: ${JSON.stringify(emit)}`)
      const all: Awaited<ReturnType<Load['deliverToAll']>>[] = []
      for (let round = 0; round < ROUNDS; round++) {
        all.push(await load.deliverToAll())
        progress(`all: ${JSON.stringify(all.at(-1))}`)
      }
      const rate = await load.rates()
      progress(`rate: ${JSON.stringify(rate)}`)
      megabytes.push(await memory())
      return { subscribed, emit, rate, all, megabytes, serverLog: server.log.slice(0, 2_000) }
    })
    const run = { at: new Date().toISOString(), processor: cpus()[0]?.model ?? '' }
    const report = { ...run, principals, subscriptions, ...measured, ...counted }
    return { ...report, missed: missedBars(report) }
  } finally {
    receiver.stop()
  }
}

async function withServer<T>(
  vars: Readonly<Record<string, string>>,
  work: (server: LoadServer) => Promise<T>,
): Promise<T> {
  const server = await LoadServer.start(vars)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

interface Measured {
  readonly emit: { readonly ratio: number }
  readonly all: readonly { readonly outboxSeconds: number; readonly deliveredSeconds: number }[]
  readonly counts: { readonly 'emit-to-none': Counts }
}

function missedBars({ emit, all, counts }: Measured): string[] {
  const best = (member: 'outboxSeconds' | 'deliveredSeconds') =>
    Math.min(...all.map((round) => round[member]))
  const missed = (name: keyof typeof BARS, value: number) =>
    value > BARS[name] ? [`${name}: ${value} > ${BARS[name]}`] : []
  return [
    ...missed('emitRatio', emit.ratio),
    ...missed('outboxSeconds', best('outboxSeconds')),
    ...missed('deliveredSeconds', best('deliveredSeconds')),
    ...missed('emitObjectRequests', counts['emit-to-none'].objectRequests),
  ]
}

class Load {
  readonly #server: LoadServer
  readonly #receiver: LoadReceiver
  readonly #principals: number
  readonly #subscriptions: number

  constructor(
    server: LoadServer,
    receiver: LoadReceiver,
    principals: number,
    subscriptions: number,
  ) {
    this.#server = server
    this.#receiver = receiver
    this.#principals = principals
    this.#subscriptions = subscriptions
  }

  async subscribeAll(progress: (line: string) => void) {
    const each = Array.from({ length: this.#subscriptions }, (_, number) => number)
    const startedAt = performance.now()
    let done = 0
    await some(each, SUBSCRIBES_AT_A_TIME, async (number) => {
      const principal = number % this.#principals
      await this.#subscribe(principal, 'load.many', `room-${principal}`, `/many/${number}`)
      done += 1
      if (done % 1000 === 0) progress(`${done} subscriptions, load ${loadAverage()}`)
    })
    const seconds = (performance.now() - startedAt) / 1000
    return { seconds, perSecond: this.#subscriptions / seconds, load: loadAverage() }
  }

  /** Wall times of a request that emits once, of the types with and without subscriptions in turns. */
  async compareEmits() {
    const times = { route: [], without: [], with: [] } as Record<string, number[]>
    const time = async (name: string, emit: () => Promise<unknown>) => {
      // The fan-out of the last emit ends, so that the next one is measured alone.
      await delay(EMIT_PAUSE_MS)
      const begin = performance.now()
      await emit()
      times[name]?.push(performance.now() - begin)
    }
    for (let sample = 0; sample < SAMPLES; sample++) {
      await time('route', () => this.#server.emit({ type: 'load.quiet', count: 0 }))
      await time('without', () => this.#server.emit({ type: 'load.quiet' }))
      await time('with', () => this.#server.emit({ type: 'load.many', room: 'empty' }))
    }
    const [route, without, withSubscribers] = ['route', 'without', 'with'].map((name) =>
      median(times[name] ?? []),
    ) as [number, number, number]
    return {
      ...{ routeMs: route, withoutMs: without, withMs: withSubscribers },
      ratio: withSubscribers / without,
      load: loadAverage(),
    }
  }

  /** An occurrence that concerns one principal, by its arguments or by its subject. */
  async countOne() {
    const subscriptions = this.#subscriptions / this.#principals
    const count = async (what: { room: string; subject?: string }) => {
      await this.#server.counts()
      const { eventIds, startedAt } = await this.#server.emit({ type: 'load.many', ...what })
      const [eventId = ''] = eventIds
      const lastAt = await this.#delivered(eventId, subscriptions)
      await delay(500)
      const { principals } = await this.#server.accepted(eventId)
      const counts = await this.#server.counts()
      return { principals, milliseconds: lastAt - startedAt, ...counts }
    }
    const byArguments = await count({ room: 'room-7' })
    return { byArguments, bySubject: await count({ room: 'all', subject: 'principal-7' }) }
  }

  async countAll(): Promise<Counts> {
    await this.#server.counts()
    const { eventIds } = await this.#server.emit({ type: 'load.many' })
    await this.#delivered(eventIds[0] ?? '', this.#subscriptions)
    await delay(2000)
    return perUse(await this.#server.counts(), 1)
  }

  async deliverToAll() {
    const cpuBefore = cpuSeconds(this.#server.pid)
    const { eventIds, startedAt } = await this.#server.emit({ type: 'load.many' })
    const [eventId = ''] = eventIds
    let outboxSeconds = Number.NaN
    for (;;) {
      const { principals, lastAt } = await this.#server.accepted(eventId)
      if (principals >= this.#principals) {
        outboxSeconds = (lastAt - startedAt) / 1000
        break
      }
      await delay(POLL_MS)
    }
    const lastAt = await this.#delivered(eventId, this.#subscriptions)
    const arrivals = this.#receiver.of(eventId)
    await delay(1000)
    const cpuMilliseconds = (cpuSeconds(this.#server.pid) - cpuBefore) * 1000
    return {
      outboxSeconds,
      firstAttemptSeconds: ((arrivals[0]?.at ?? Number.NaN) - startedAt) / 1000,
      deliveredSeconds: (lastAt - startedAt) / 1000,
      attempts: arrivals.length,
      cpuMillisecondsPerDelivery: cpuMilliseconds / this.#subscriptions,
      load: loadAverage(),
    }
  }

  /** What one log stores and hands over in a second, while the Worker emits 32 at a time. */
  async rates() {
    await this.#subscribe(this.#principals, 'load.many', 'lonely', '/lonely')
    const emit = async (type: string, room: string) => {
      const emitted = await this.#server.emit({ type, room, count: RATE_EMITS, parallel: 32 })
      const { startedAt, endedAt, eventIds } = emitted
      const perSecond = (at: number) => Math.round(RATE_EMITS / ((at - startedAt) / 1000))
      return { stored: perSecond(endedAt), perSecond, lastId: eventIds.at(-1) ?? '' }
    }
    const { stored: withoutSubscriptions } = await emit('load.quiet', 'empty')
    const { stored, perSecond, lastId } = await emit('load.many', 'lonely')
    let accepted = await this.#server.accepted(lastId)
    while (accepted.principals === 0) {
      await delay(POLL_MS)
      accepted = await this.#server.accepted(lastId)
    }
    const delivered = await this.#delivered(lastId, 1)
    return {
      withoutSubscriptions,
      toOneOfAll: { stored, handed: perSecond(accepted.lastAt), delivered: perSecond(delivered) },
      load: loadAverage(),
    }
  }

  /** What is billed for one occurrence, by how many subscriptions of one principal it concerns, and for a subscription. */
  async count() {
    const ten = Array.from({ length: 10 }, (_, at) => `/ten/${at}`)
    const subscribeTen = async () => {
      await this.#server.counts()
      for (const path of ten) await this.#subscribe(2, 'load.ten', 'room', path)
      await delay(1000)
      return perUse(await this.#server.counts(), ten.length)
    }
    const occurrence = async (type: string, deliveries: number) => {
      // The first one creates the log, and what is in memory.
      await this.#emitDelivered(type, deliveries)
      await delay(1000)
      await this.#server.counts()
      for (let at = 0; at < COUNTED_EMITS; at++) await this.#emitDelivered(type, deliveries)
      await delay(1000)
      return perUse(await this.#server.counts(), COUNTED_EMITS)
    }
    await this.#subscribe(1, 'load.single', 'room', '/single')
    return {
      subscribe: await subscribeTen(),
      refresh: await subscribeTen(),
      'emit-to-none': await occurrence('load.quiet', 0),
      'emit-to-one': await occurrence('load.single', 1),
      'emit-to-ten': await occurrence('load.ten', 10),
    }
  }

  async #emitDelivered(type: string, deliveries: number): Promise<void> {
    const { eventIds } = await this.#server.emit({ type })
    if (deliveries > 0) await this.#delivered(eventIds[0] ?? '', deliveries)
    await delay(50)
  }

  async #subscribe(principal: number, type: string, room: string, path: string): Promise<void> {
    const url = this.#receiver.url(path)
    const answer = await this.#server.subscribe({ principal, type, room, url })
    if (answer.result === undefined) throw new Error(`subscribe: ${JSON.stringify(answer)}`)
  }

  /** Resolves with the time of the last first delivery, when each subscription has received the event. */
  async #delivered(eventId: string, subscriptions: number): Promise<number> {
    const until = performance.now() + DELIVERIES_TIMEOUT_MS
    for (;;) {
      const first = new Map<string, number>()
      for (const { subscription, at } of this.#receiver.of(eventId)) {
        if (!first.has(subscription)) first.set(subscription, at)
      }
      if (first.size >= subscriptions) return Math.max(...first.values())
      if (performance.now() > until) {
        throw new Error(`${first.size} of ${subscriptions} received ${eventId}`)
      }
      await delay(POLL_MS)
    }
  }
}

function perUse(counts: Counts, by: number): Counts {
  const { objectRequests, alarms, rowsRead, rowsWritten } = counts
  return {
    objectRequests: objectRequests / by,
    alarms: alarms / by,
    rowsRead: rowsRead / by,
    rowsWritten: rowsWritten / by,
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
