/** The store of the connection timeline: one object for each server. */

import { callerOf } from '../../../../../src/internal.ts'
import type { ObjectsOfKind } from '../../../../../src/ports/objects.ts'
import type { TimelineStep, TimelineStore } from './port.ts'
import type { TimelineObject } from './timeline-object.ts'

/** The only object of its kind that a server has. */
const KEY = ''

export function createTimelineStore(objects: ObjectsOfKind<TimelineObject>): TimelineStore {
  const call = callerOf(objects)
  return {
    settings: (create) => call(KEY, (timeline) => timeline.settings(create)),
    append: (steps) => call(KEY, (timeline) => timeline.append(steps)),
    async read() {
      const rows = await call(KEY, (timeline) => timeline.read())
      return rows.map((row): TimelineStep => JSON.parse(row))
    },
    switchUntil: (until) => call(KEY, (timeline) => timeline.switchUntil(until)),
  }
}
