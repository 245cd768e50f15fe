/** The bare platform: a response that stays open, with a comment every 15 seconds. */
const OPENING = new TextEncoder().encode(': open\n\n')
const KEEP_ALIVE_MS = 15_000

export default {
  fetch(request: Request): Response {
    if (request.method === 'GET') return new Response('bare')
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const write = () => void writer.write(OPENING).catch(() => clearInterval(timer))
    const timer = setInterval(write, KEEP_ALIVE_MS)
    write()
    return new Response(readable, { headers: { 'content-type': 'text/event-stream' } })
  },
}
