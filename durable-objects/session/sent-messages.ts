/** What a run that was cut off had already sent, read off the log of its stream. */
import { fingerprint } from '../../src/dispatch/journal/fingerprint.ts'
import { isJsonObject } from '../../src/protocol/json.ts'
import type { Memory } from './run.ts'

/** @param messages of this run alone */
export function recallSent(memory: Memory, messages: readonly string[]): Memory {
  let { sentProgress } = memory
  const logs: string[] = []
  for (const text of messages) {
    const { method, params } = JSON.parse(text) as { method?: unknown; params?: unknown }
    if (!isJsonObject(params)) continue
    if (method === 'notifications/progress' && typeof params.progress === 'number') {
      sentProgress = Math.max(sentProgress ?? params.progress, params.progress)
    }
    if (method === 'notifications/message') logs.push(fingerprint(JSON.stringify(params)))
  }
  return { ...memory, sentProgress, sentLogs: logs.length > 0 ? logs : memory.sentLogs }
}
