/** `ctx.progress`: progress notifications to the client, and the progress of a task. */
import type { Codec } from '../protocol/codec/codec.ts'
import type { Context } from '../server/context.ts'
import type { Call } from './call.ts'
import type { SentMessages } from './journal/sent-record.ts'

/**
 * @param sent returns undefined after the answer of the call: progress must not follow it
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
 */
export function createProgress(
  { request, run }: Call,
  codec: Codec,
  sent: () => SentMessages | undefined,
): Context['progress'] {
  return async (progress, total, message) => {
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total))) {
      throw new TypeError('ctx.progress needs finite numbers')
    }
    const { progressToken } = request
    const isReported = progressToken !== undefined || run.task !== undefined
    if (!isReported || sent()?.addProgress(progress) !== true) return
    run.task?.reportProgress({ progress, total, message })
    if (progressToken === undefined) return
    const params = codec.progressParams(progressToken, { progress, total, message })
    await run.notify('notifications/progress', params)
  }
}
