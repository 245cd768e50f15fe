/** The answer to a call that exceeds the limit of its tool. */
import type { OverLimit } from '../ports/rate-limits.ts'

/** For the model: which tool, and when to call it again. */
export function overLimitText(tool: string, { retryAfterSeconds, isExact }: OverLimit): string {
  const wait = `${isExact ? '' : 'at most '}${retryAfterSeconds} second${retryAfterSeconds === 1 ? '' : 's'}`
  return `Too many calls of the tool ${tool}. Nothing was done. Call it again in ${wait}.`
}
