/**
 * Refusing a request whose body is still on its way. The platform closes such a connection under its
 * sender, and whoever writes to the end before reading, as most HTTP clients do, sees it broken and
 * never the answer. So what has been sent is read away first, for a moment.
 */
import { withDeadline } from '../../platform/deadline.ts'

/** So much is read by the platform itself. */
const SMALL_BYTES = 64 * 1024

const MOST_BYTES = 64 * 1024 * 1024

/** Whoever has sent nothing more by then waits for the answer. */
const MOST_MS = 300

export async function drain({ body, bodyUsed, headers }: Request): Promise<void> {
  if (body === null || bodyUsed || body.locked) return
  const declared = headers.get('content-length')
  if (declared !== null && Number(declared) <= SMALL_BYTES) return
  await drainReader(body.getReader())
}

export async function drainReader(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  await withDeadline(MOST_MS, readAway(reader))
  reader.cancel().catch(() => undefined)
}

async function readAway(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let size = 0
  try {
    while (size < MOST_BYTES) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.byteLength
    }
  } catch {
    // The sender has gone.
  }
}
