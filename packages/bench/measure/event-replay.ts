/** Measures how long a resuming client waits until a stream of a thousand events is replayed. */
import { performance } from 'node:perf_hooks'
import type { Lane } from '../lanes/lane.ts'
import { eventsOf, type StreamEvent } from '../load/event-stream.ts'
import { resumeHeaders, sessionProgress } from '../load/request.ts'
import { openSession } from '../load/session.ts'
import { bundleOf } from './bundle.ts'
import { parseResult } from './json-rpc-result.ts'
import { cpuSeconds } from './processor.ts'
import { Workerd } from './workerd.ts'

/** Progress notifications that a call sends before its result. */
export const EVENTS = 1000

export interface EventReplay {
  /** From sending the GET to receiving the result, which is the last event. */
  readonly milliseconds: number
  /** Server processor time of the GET, until the server is idle again. */
  readonly cpuMilliseconds: number
}

export interface EventReplaySeries {
  readonly lane: Lane
  readonly replays: readonly EventReplay[]
}

const MIN_REPLAYS = 10
const WARM_UP_REPLAYS = 5
const SETTLE_MS = 150
const TIMEOUT_MS = 20_000

/**
 * Every replay has a new session: the client calls, reads the stream to its end, and resumes it
 * with the first event as `Last-Event-ID`.
 *
 * @throws {Error} when an event is missing, repeated or out of order
 */
export async function measureEventReplay(
  lanes: readonly Lane[],
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly EventReplaySeries[]> {
  const series: EventReplaySeries[] = []
  for (const lane of lanes.filter(({ supports }) => supports.includes('replay'))) {
    progress(`replaying ${EVENTS} events: ${lane.name}`)
    const bindings = lane.bindings?.['session-progress']
    const server = await Workerd.spawn(await bundleOf(lane, 'session-progress'), bindings)
    try {
      await server.ready()
      const replays: EventReplay[] = []
      for (let turn = 1 - WARM_UP_REPLAYS; turn <= Math.max(rounds, MIN_REPLAYS); turn++) {
        const replayed = await replayOnce(server, lane.sessionRevision)
        if (turn > 0) replays.push(replayed)
      }
      series.push({ lane, replays })
    } finally {
      await server.stop()
    }
  }
  return series
}

async function replayOnce({ url, pid }: Workerd, revision: string): Promise<EventReplay> {
  const sessionId = await openSession(url, revision)
  if (sessionId === undefined) throw new Error('The server issues no session id')
  const { headers, body } = sessionProgress(revision, sessionId, EVENTS)
  const called = await receive(url, { method: 'POST', headers: { ...headers }, body })
  const sent = eventsOf(called.text)
  checkEvents(sent, 1)
  const [first] = sent
  if (first?.id === undefined) throw new Error('The first event has no id')

  await settle()
  const cpuBefore = cpuSeconds(pid)
  const startedAt = performance.now()
  const resumed = await receive(url, { headers: resumeHeaders(revision, sessionId, first.id) })
  await settle()
  const cpuMilliseconds = (cpuSeconds(pid) - cpuBefore) * 1000
  checkEvents(eventsOf(resumed.text), stepOf(first) === undefined ? 1 : 2)
  return { milliseconds: resumed.lastAt - startedAt, cpuMilliseconds }
}

interface Received {
  readonly text: string
  /** When the last bytes were received, on the clock of `performance.now()`. */
  readonly lastAt: number
}

/** Reads to the end of the response, which the server closes after the result of the call. */
async function receive(url: string, init: RequestInit): Promise<Received> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  const chunks: Uint8Array[] = []
  let lastAt = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    lastAt = performance.now()
  }
  const text = Buffer.concat(chunks).toString()
  if (response.status !== 200 || !response.headers.get('content-type')?.includes('event-stream')) {
    throw new Error(`The response to a stream request is ${response.status}: ${text.slice(0, 400)}`)
  }
  return { text, lastAt }
}

/** The progress that an event reports; undefined for every other event. */
function stepOf({ data }: StreamEvent): number | undefined {
  if (!data.includes('"notifications/progress"')) return undefined
  return (JSON.parse(data) as { params: { progress: number } }).params.progress
}

/** @throws {Error} unless all steps from `firstStep` precede the result, each once and in order */
function checkEvents(events: readonly StreamEvent[], firstStep: number): void {
  const steps = events.flatMap((event) => stepOf(event) ?? [])
  const inOrder = steps.every((step, at) => step === firstStep + at)
  const result = JSON.stringify(parseResult(events.at(-1)?.data ?? '')?.content)
  if (
    steps.length !== EVENTS + 1 - firstStep ||
    !inOrder ||
    result !== '[{"type":"text","text":"done"}]'
  ) {
    const order = inOrder ? 'in order' : 'not in order'
    throw new Error(
      `A stream has ${steps.length} steps from ${steps[0]}, ${order}, and the result ${result}`,
    )
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
}
