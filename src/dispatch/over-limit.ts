/** Counts a call of a tool whose definition names a class of limits. */
import type { OverLimit } from '../ports/rate-limits.ts'
import { REFUSALS } from '../protocol/refusals.ts'
import type { ToolDefinition } from '../server/definition.ts'
import type { Call } from './call.ts'

/**
 * Returns the text of the answer to a call above its limit. It is a result and not status 429, which clients treat as a
 * failure of the transport that no model reads. Undefined for a call within the limit; no promise where nothing waits.
 */
export function countCall(
  { request, services, deployment }: Call,
  { info, limitClass }: ToolDefinition,
): string | undefined | Promise<string | undefined> {
  const limits = limitClass === undefined ? undefined : services.rateLimits()
  if (limits === undefined || limitClass === undefined) return undefined
  const answerTo = (over: OverLimit | undefined): string | undefined => {
    if (over === undefined) return undefined
    const { status } = REFUSALS['rate-limited']
    const message = 'Too many calls of a tool'
    deployment.report({ type: 'refusal', name: 'rate-limited', status, message, limitClass })
    return overLimitText(info.name, over)
  }
  const counted = limits.ofTool(limitClass, request.auth, request.headers)
  return counted instanceof Promise ? counted.then(answerTo) : answerTo(counted)
}

/** For the model: which tool, and when to call it again. */
function overLimitText(tool: string, { retryAfterSeconds, isExact }: OverLimit): string {
  const wait = `${isExact ? '' : 'at most '}${retryAfterSeconds} second${retryAfterSeconds === 1 ? '' : 's'}`
  return `Too many calls of the tool ${tool}. Nothing was done. Call it again in ${wait}.`
}
