/** Waiting, but never for ever: a hang is a failure that says what was waited for. */

/** Longer than an alarm takes to find what was cut off, and than a busy machine takes for anything. */
const PATIENCE_MS = 60_000

/** For polls. */
export const PATIENT = { timeout: PATIENCE_MS }

/** @throws when nothing has come of it in time */
export async function bounded<T>(
  promise: Promise<T>,
  what: string,
  ms: number = PATIENCE_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing for ${ms} ms: ${what}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
