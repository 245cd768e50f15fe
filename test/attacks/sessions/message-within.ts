/** Reads a stream on which a test expects no message. */
import type { SseReader, WireMessage } from '../../support/sse-reader.ts'

/** The next message, or `silence` when none arrives in time. */
export async function messageWithin(reader: SseReader, ms: number): Promise<WireMessage> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve('silence'), ms)
  const first = await Promise.race([reader.message(), promise])
  clearTimeout(timer)
  return first
}
