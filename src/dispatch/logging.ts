/** `ctx.log`: log messages to the client, from the level that it asked for. */
import { isJsonObject } from '../protocol/json.ts'
import { passesLogLevel } from '../protocol/log-level.ts'
import type { Context } from '../server/context.ts'
import type { Call } from './call.ts'
import type { SentMessages } from './journal/sent-record.ts'

/**
 * @param sent returns undefined after the answer of the call: nothing is sent after it
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
export function createLog(
  { client, run }: Call,
  sent: () => SentMessages | undefined,
): Context['log'] {
  return async (level, data, logger) => {
    const { logLevel } = client
    if (logLevel === undefined || !passesLogLevel(level, logLevel)) return
    const params = {
      level,
      data: data ?? null,
      ...(logger === undefined ? undefined : { logger }),
    }
    if (!isJsonObject(params) || sent()?.addLog(params) !== true) return
    await run.notify('notifications/message', params)
  }
}
