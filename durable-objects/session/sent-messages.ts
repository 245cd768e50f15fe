/** What a run that was cut off had already sent, read off the log of its stream. */
import { fingerprint } from '../../src/dispatch/journal/fingerprint.ts'
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts'
import { metaOf } from '../../src/protocol/meta.ts'
import type { Memory } from './run.ts'

/** @param request the params of the run, whose token tells its progress from that of others on the stream */
export function recallSent(
  memory: Memory,
  messages: readonly string[],
  request: JsonObject | undefined,
): Memory {
  const token = metaOf(request)?.progressToken
  let { sentProgress } = memory
  const logs: string[] = []
  for (const text of messages) {
    const { method, params } = JSON.parse(text) as { method?: unknown; params?: unknown }
    if (!isJsonObject(params)) continue
    const own = params.progressToken === token
    if (method === 'notifications/progress' && own && typeof params.progress === 'number') {
      sentProgress = Math.max(sentProgress ?? params.progress, params.progress)
    }
    if (method === 'notifications/message') logs.push(fingerprint(JSON.stringify(params)))
  }
  return { ...memory, sentProgress, sentLogs: logs.length > 0 ? logs : memory.sentLogs }
}
