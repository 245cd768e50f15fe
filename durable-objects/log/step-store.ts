/** The store of the connection timeline: one log object for each server. */
import type { TimelineSettings, TimelineStep, TimelineStore } from '../../src/ports/timeline.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { LogRpc } from './log-object.ts'
import { timelineName } from './object-names.ts'

export type TimelineNamespace = ObjectNamespace<
  Pick<LogRpc, 'timelineSettings' | 'recordTimeline' | 'readTimeline' | 'switchTimeline'>
>

/** The keyring, in which an earlier version has stored steps. They live for six hours. */
export type EarlierTimelineNamespace = ObjectNamespace<{
  timelineSettings(create: boolean): Promise<TimelineSettings>
  readTimeline(): Promise<string[]>
}>

/**
 * @param server the audience of the server whose timeline it is
 * @param keyring undefined where it is not bound
 */
export function createTimelineStore(
  namespace: TimelineNamespace,
  server: string,
  keyring: EarlierTimelineNamespace | undefined,
): TimelineStore {
  const object = () => namespace.getByName(timelineName(server))
  const earlier = () => keyring?.getByName(timelineName(server))
  let adopted: TimelineSettings | undefined
  const settings = async (create: boolean) => {
    // The digests of a log continue with its key, so that connections are recognised.
    adopted ??= await callObject(async () => earlier()?.timelineSettings(false))
    return callObject(async () => object().timelineSettings(create, adopted))
  }
  return {
    settings,
    append: (steps) => callObject(async () => object().recordTimeline(steps)),
    async read() {
      const rows = await Promise.all([
        callObject(async () => earlier()?.readTimeline()),
        callObject(async () => object().readTimeline()),
      ])
      return rows.flatMap((stored = []) => stored.map((row): TimelineStep => JSON.parse(row)))
    },
    async switchUntil(until) {
      // First, because what was adopted later would be on again.
      await settings(false)
      return callObject(async () => object().switchTimeline(until))
    },
  }
}
