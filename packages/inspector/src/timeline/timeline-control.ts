/** What an owner does with the timeline: reads it, and switches the recording of production on and off. */
import type { TimelineStore } from '../objects/log/port.ts'
import { connectionsOf } from './connections.ts'
import { timelineText } from './timeline-text.ts'
import type { TimelineConnection } from './views.ts'

export interface TimelineControl {
  /** All recorded connections, the latest first. */
  connections(): Promise<readonly TimelineConnection[]>
  /** Undefined for a connection that is not stored any more. */
  connection(id: string): Promise<TimelineConnection | undefined>
  /**
   * Readable text of one connection, or of all. It names faults by their codes; `explainedText` of
   * `edgeway/timeline-texts` has their meaning and their fix.
   */
  text(id?: string): Promise<string>
  /**
   * Records production for a time, at most a day. Every isolate begins within half a minute.
   *
   * @throws {RangeError} for another time
   */
  switchOn(options: { readonly forMs: number }): Promise<void>
  /** Every isolate ends within half a minute. What is recorded stays until it expires. */
  switchOff(): Promise<void>
}

const MAX_RECORDING_MS = 24 * 60 * 60 * 1000

/** @param onSwitch called after the switch was changed */
export function createTimelineControl(store: TimelineStore, onSwitch: () => void): TimelineControl {
  const connections = async () => connectionsOf(await store.read(), Date.now())
  return {
    connections,
    connection: async (id) => (await connections()).find((one) => one.id === id),
    async text(id) {
      const all = await connections()
      return timelineText(id === undefined ? all : all.filter((one) => one.id === id))
    },
    async switchOn({ forMs }) {
      if (!(forMs > 0 && forMs <= MAX_RECORDING_MS)) {
        throw new RangeError('forMs must be a number of milliseconds, at most a day')
      }
      await store.switchUntil(Date.now() + forMs)
      onSwitch()
    },
    async switchOff() {
      await store.switchUntil(0)
      onSwitch()
    },
  }
}
