/** A moment of time, where the moment at which something is done to a server is what a test varies. */
export function moment(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
