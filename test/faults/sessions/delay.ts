/** Waits, for tests that vary the time at which a server is killed. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
