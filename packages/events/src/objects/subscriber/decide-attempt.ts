/** What follows from an attempt, and when the next one is due. */
import type { CallbackFault } from '../../../../../src/protocol/events.ts'

/** The answer of a callback, without its text where that may contain more than an echo. */
export interface Answer {
  /** Undefined when there was none. */
  readonly status: number | undefined
  /** Undefined for 2xx. */
  readonly fault: CallbackFault | undefined
  /** The body of a 2xx answer, where it was to be read. */
  readonly text?: string | undefined
  /** Of an answer whose body was read. */
  readonly cacheControl?: string | null
}

/** These settle the event, and leave the subscription alone: the callback does not want this event again. */
const SETTLING = [410, 413]

export type AttemptOutcome = 'delivered' | 'dropped' | 'failed'

export function outcomeOf({ status, fault }: Answer): AttemptOutcome {
  if (fault === undefined) return 'delivered'
  return status !== undefined && SETTLING.includes(status) ? 'dropped' : 'failed'
}

/** What the platform answers instead of a host that it cannot reach, by the numbers of Cloudflare. */
const PLATFORM_FAULTS: Readonly<Record<number, CallbackFault>> = {
  521: 'connection_refused',
  522: 'timeout',
  523: 'connection_refused',
  524: 'timeout',
  525: 'tls_error',
  526: 'tls_error',
  530: 'connection_refused',
}

/** Undefined for 2xx. A redirect is not followed, so it is a fault of the callback. */
export function faultOfStatus(status: number): CallbackFault | undefined {
  if (status >= 200 && status < 300) return undefined
  return PLATFORM_FAULTS[status] ?? (status >= 500 ? 'http_5xx' : 'http_4xx')
}

const JITTER = 0.2

/**
 * Returns the time until the next attempt, varied by 20 %; undefined when the event is given up.
 *
 * @param failed attempts so far
 * @param random between 0 and 1
 */
export function retryDelay(
  failed: number,
  delaysMs: readonly number[],
  random: number,
): number | undefined {
  const delay = delaysMs[failed - 1]
  return delay && Math.round(delay * (1 + JITTER * (2 * random - 1)))
}
