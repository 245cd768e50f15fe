/**
 * Reads the rest of a refused body before the response is sent. Otherwise the platform closes the
 * connection while the client still writes, and most HTTP clients write the whole body before they
 * read: they would see a broken connection instead of the refusal.
 */
import { withDeadline } from '../../platform/deadline.ts'

/** The platform itself reads a body of at most this size. */
const SMALL_BYTES = 64 * 1024

const MAX_BYTES = 64 * 1024 * 1024

/** A client that has sent nothing more by then is waiting for the response. */
const MAX_MS = 300

export async function drain({ body, bodyUsed, headers }: Request): Promise<void> {
  if (body === null || bodyUsed || body.locked) return
  const declared = headers.get('content-length')
  if (declared !== null && Number(declared) <= SMALL_BYTES) return
  await drainReader(body.getReader())
}

export async function drainReader(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  await withDeadline(MAX_MS, discard(reader))
  reader.cancel().catch(() => undefined)
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let size = 0
  try {
    while (size < MAX_BYTES) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.byteLength
    }
  } catch {
    // The client has disconnected.
  }
}
