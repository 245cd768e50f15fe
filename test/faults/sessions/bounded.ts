/** Deadlines for tests: a hang becomes a failure that names what did not happen. */

/** Longer than an alarm takes to find an interrupted run, on a busy machine. */
const TIMEOUT_MS = 60_000

/** Options of `expect.poll`. */
export const POLL = { timeout: TIMEOUT_MS }

/** @throws when the promise does not settle in time */
export async function bounded<T>(
  promise: Promise<T>,
  what: string,
  ms: number = TIMEOUT_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not within ${ms} ms: ${what}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
