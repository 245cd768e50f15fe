/** How long a client that was away waits for a log of a thousand events. */
import { performance } from 'node:perf_hooks'
import type { Lane } from '../lanes/lane.ts'
import { eventsOf, type StreamEvent } from '../load/event-stream.ts'
import { resumeHeaders, sessionProgress } from '../load/request.ts'
import { openSession } from '../load/session.ts'
import { parseAnswer } from './answer.ts'
import { bundleOf } from './contest.ts'
import { processorSeconds } from './processor.ts'
import { Workerd } from './workerd.ts'

/** Progress that a call reports before its result. */
export const EVENTS = 1000

export interface EventReplay {
  /** From sending the GET to having received the result, which is the last event. */
  readonly milliseconds: number
  /** Server processor time of the GET, until the server is at rest again. */
  readonly cpuMilliseconds: number
}

export interface EventReplaySeries {
  readonly lane: Lane
  readonly replays: readonly EventReplay[]
}

const MIN_REPLAYS = 10
const WARM_UP_REPLAYS = 5
const REST_MS = 150
const GIVE_UP_MS = 20_000

/**
 * Every replay is of a log of its own: a new session, a call to its end, and then its first event
 * as the last one that was seen.
 *
 * @throws {Error} when one event does not come, comes twice, or comes out of order
 */
export async function measureEventReplay(
  lanes: readonly Lane[],
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly EventReplaySeries[]> {
  const series: EventReplaySeries[] = []
  for (const lane of lanes.filter(({ works }) => works.includes('replay'))) {
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
  if (sessionId === undefined) throw new Error('No session to replay')
  const { headers, body } = sessionProgress(revision, sessionId, EVENTS)
  const called = await receive(url, { method: 'POST', headers: { ...headers }, body })
  const sent = eventsOf(called.text)
  checkEvents(sent, 1)
  const [first] = sent
  if (first?.id === undefined) throw new Error('The first event has no id')

  await rest()
  const cpuBefore = processorSeconds(pid)
  const startedAt = performance.now()
  const resumed = await receive(url, { headers: resumeHeaders(revision, sessionId, first.id) })
  await rest()
  const cpuMilliseconds = (processorSeconds(pid) - cpuBefore) * 1000
  checkEvents(eventsOf(resumed.text), stepOf(first) === undefined ? 1 : 2)
  return { milliseconds: resumed.lastAt - startedAt, cpuMilliseconds }
}

interface Received {
  readonly text: string
  /** When the last bytes came, on the clock of `performance.now()`. */
  readonly lastAt: number
}

/** Reads to the end of the response: the stream of a call that is complete is closed. */
async function receive(url: string, init: RequestInit): Promise<Received> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(GIVE_UP_MS) })
  const chunks: Uint8Array[] = []
  let lastAt = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    lastAt = performance.now()
  }
  const text = Buffer.concat(chunks).toString()
  if (response.status !== 200 || !response.headers.get('content-type')?.includes('event-stream')) {
    throw new Error(`A stream is answered with ${response.status}: ${text.slice(0, 400)}`)
  }
  return { text, lastAt }
}

/** The step that an event tells of; undefined for every other event. */
function stepOf({ data }: StreamEvent): number | undefined {
  if (!data.includes('"notifications/progress"')) return undefined
  return (JSON.parse(data) as { params: { progress: number } }).params.progress
}

/** @throws {Error} unless all steps from the first are there, once, in order, and then the result */
function checkEvents(events: readonly StreamEvent[], firstStep: number): void {
  const steps = events.flatMap((event) => stepOf(event) ?? [])
  const inOrder = steps.every((step, at) => step === firstStep + at)
  const result = JSON.stringify(parseAnswer(events.at(-1)?.data ?? '')?.content)
  if (
    steps.length !== EVENTS + 1 - firstStep ||
    !inOrder ||
    result !== '[{"type":"text","text":"done"}]'
  ) {
    const order = inOrder ? 'in order' : 'not in order'
    throw new Error(
      `A stream tells ${steps.length} steps from ${steps[0]}, ${order}, and ${result}`,
    )
  }
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS))
}
