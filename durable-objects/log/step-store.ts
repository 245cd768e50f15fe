/** The store of the connection timeline: one log object for each server. */
import type { TimelineStep, TimelineStore } from '../../src/ports/timeline.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { LogRpc } from './log-object.ts'
import { timelineName } from './object-names.ts'

export type TimelineNamespace = ObjectNamespace<
  Pick<LogRpc, 'timelineSettings' | 'recordTimeline' | 'readTimeline' | 'switchTimeline'>
>

/** @param server the audience of the server whose timeline it is */
export function createTimelineStore(namespace: TimelineNamespace, server: string): TimelineStore {
  const object = () => namespace.getByName(timelineName(server))
  return {
    settings: (create) => callObject(async () => object().timelineSettings(create)),
    append: (steps) => callObject(async () => object().recordTimeline(steps)),
    async read() {
      const rows = await callObject(async () => object().readTimeline())
      return rows.map((row): TimelineStep => JSON.parse(row))
    },
    switchUntil: (until) => callObject(async () => object().switchTimeline(until)),
  }
}
