/** The store of the connection timeline: one object of the keyring. */
import type { TimelineStep, TimelineStore } from '../../src/ports/timeline.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { McpKeyring } from './keyring-object.ts'
import { TIMELINE_NAME } from './object-names.ts'

type TimelineRpc = Pick<
  McpKeyring,
  'timelineSettings' | 'recordTimeline' | 'readTimeline' | 'switchTimeline'
>

export type TimelineNamespace = ObjectNamespace<TimelineRpc>

export function createTimelineStore(namespace: TimelineNamespace): TimelineStore {
  const object = () => namespace.getByName(TIMELINE_NAME)
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
