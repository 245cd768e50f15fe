/** An event stream with a comment every 15 seconds and nothing else. */
import { countedWorker } from '../tools/counting.ts'

const KEEP_ALIVE_MS = 15_000

const COMMENT = new TextEncoder().encode(': keep-alive\n\n')

function openStream(): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const write = () => writer.write(COMMENT).catch(() => clearInterval(timer))
  const timer = setInterval(write, KEEP_ALIVE_MS)
  void write()
  return new Response(readable, { headers: { 'content-type': 'text/event-stream' } })
}

export default countedWorker({
  fetch: ({ method }) => (method === 'POST' ? openStream() : new Response()),
})
