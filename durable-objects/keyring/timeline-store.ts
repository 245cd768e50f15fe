/** The store of the connection timeline: one object of the keyring for each server. */
import type { TimelineStep, TimelineStore } from '../../src/ports/timeline.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { McpKeyring } from './keyring-object.ts'
import { timelineName } from './object-names.ts'

type TimelineRpc = Pick<
  McpKeyring,
  'timelineSettings' | 'recordTimeline' | 'readTimeline' | 'switchTimeline'
>

export type TimelineNamespace = ObjectNamespace<TimelineRpc>

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
