/** Sends one body to a collector: with few retries, within a deadline. It never rejects. */
import { delay, withAbortDeadline } from '../../../src/platform/deadline.ts'

export interface ExportTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
}

/** Of all attempts together. The platform ends work behind a response after 30 s. */
const DEADLINE_MS = 10_000
const ATTEMPTS = 3
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 4_000

/** @see https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE = [429, 502, 503, 504]

/** Resolves with whether the collector has taken the body. */
export async function exportBody(target: ExportTarget, body: Uint8Array): Promise<boolean> {
  try {
    const taken = await withAbortDeadline(DEADLINE_MS, (signal) => attempt(target, body, signal))
    return taken === true
  } catch {
    // A collector that cannot be reached has no effect on the server.
    return false
  }
}

async function attempt(
  { url, headers, fetch: send }: ExportTarget,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  for (let count = 1; ; count += 1) {
    const response = await send(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal,
    }).catch(() => undefined)
    await response?.body?.cancel().catch(() => undefined)
    if (response?.ok === true) return true
    const mayRetry = response === undefined || RETRYABLE.includes(response.status)
    if (!mayRetry || count === ATTEMPTS || signal.aborted) return false
    await delay(pauseOf(response, count))
  }
}

function pauseOf(response: Response | undefined, count: number): number {
  const asked = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1_000
  const pause = asked >= 0 ? asked : FIRST_PAUSE_MS * 2 ** (count - 1)
  return Math.min(pause, MAX_PAUSE_MS)
}
