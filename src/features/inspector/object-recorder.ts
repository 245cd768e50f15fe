/** The recorder of the objects of sessions and tasks: telemetry, and the status of tasks for the inspector. */
import type { TaskEvent } from '../../ports/request-event.ts'
import type { Recorder, TelemetrySink } from '../../ports/telemetry.ts'
import type { TaskEntry } from './traffic-entry.ts'
import type { TrafficWriter } from './traffic-writer.ts'

/**
 * @param recorder of telemetry; undefined when no sink receives the events of requests
 * @param writerOf the writer of an environment
 */
export function createObjectRecorder(
  report: TelemetrySink,
  recorder: Recorder | undefined,
  writerOf: (env: unknown) => TrafficWriter | undefined,
  isKnownMethod: Recorder['isKnownMethod'],
): Recorder {
  let environment: unknown
  let events: { readonly at: number; readonly event: TaskEvent }[] = []
  return {
    report(event) {
      if (event.type === 'task') events.push({ at: Date.now(), event })
      report(event)
    },
    isKnownMethod,
    recordsSpans: recorder?.recordsSpans === true,
    enter(env) {
      environment = env
      recorder?.enter(env)
    },
    flush(waitUntil) {
      const writer = writerOf(environment)
      for (const { at, event } of events) {
        const text = JSON.stringify({ at, exchange: event.task, ...entryOf(event) })
        writer?.writeIfWatched({ at, owner: null, entry: text }, waitUntil)
      }
      events = []
      recorder?.flush(waitUntil)
    },
  }
}

function entryOf({ task, name, status }: TaskEvent): TaskEntry {
  return { kind: 'task', task, tool: name ?? '', status }
}
