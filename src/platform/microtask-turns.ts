/**
 * Turns of the microtask queue. JavaScript cannot tell whether a promise waits for I/O, but code that awaits only
 * values which are available settles within some turns. To count them costs less than a timer, which would cost more
 * than the rest of a quick call.
 */
const TURNS = {
  /** Until the answer of a settled call has settled. */
  answer: 4,
  /** Until an `async` handler that awaits a few available values has settled. */
  handler: 16,
  /** In which a handler that has made one ask reaches its other asks and steps. */
  gather: 32,
} as const

/** Waits for the turns of a purpose, or for fewer when a promise settles first. Returns whether it has settled. */
export async function passTurns(
  purpose: keyof typeof TURNS,
  until?: Promise<unknown>,
): Promise<boolean> {
  let hasSettled = false
  const settle = () => (hasSettled = true)
  until?.then(settle, settle)
  for (let turn = 0; turn < TURNS[purpose] && !hasSettled; turn++) await undefined
  return hasSettled
}
