/** Reads a body ahead, as the buffers of a socket do: the server must not wait for the test. */

/** Chunks. More would hide from the server that its client reads slowly. */
const CHUNKS_AHEAD = 2

/**
 * A pipe would do the same, but workerd leaves its rejection unhandled when the body breaks and its reader is
 * cancelled at one moment, as for a client that disconnects. A test run would fail for it.
 */
export function readAhead(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const source = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await source.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: CHUNKS_AHEAD },
  )
}
