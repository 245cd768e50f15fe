/** A `fetch` that keeps what went by: the requests as they were sent, and what has come of each so far. */

export interface Exchange {
  readonly method: string
  readonly headers: Headers
  /** What was POSTed, as text. */
  readonly body: string
  readonly status: number
  readonly responseHeaders: Headers
  /** What has come of the answer so far, as it stood on the wire. */
  readonly text: string
}

export interface Wire {
  readonly fetch: typeof fetch
  /** In the order in which their answers began. */
  readonly exchanges: readonly Exchange[]
}

export function watchWire(fetchWith: typeof fetch = fetch): Wire {
  const exchanges: Exchange[] = []
  const watched: typeof fetch = async (input, init) => {
    const response = await fetchWith(input, init)
    const exchange = {
      method: init?.method ?? 'GET',
      headers: new Headers(init?.headers),
      body: String(init?.body ?? ''),
      status: response.status,
      responseHeaders: response.headers,
      text: '',
    }
    exchanges.push(exchange)
    if (response.body === null) return response
    const decoder = new TextDecoder()
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          exchange.text += decoder.decode(chunk, { stream: true })
          controller.enqueue(chunk)
        },
      }),
    )
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
  return { fetch: watched, exchanges }
}

/** The exchanges that have opened a stream by GET. */
export function streamsOf({ exchanges }: Wire): readonly Exchange[] {
  return exchanges.filter(({ method, status }) => method === 'GET' && status === 200)
}

/** The exchange that carried a call of a tool. */
export function callOf({ exchanges }: Wire, tool: string): Exchange {
  const found = exchanges.find(({ body }) => body.includes(`"name":"${tool}"`))
  if (found === undefined) throw new Error(`Nothing has called ${tool}`)
  return found
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds
export type WireMessage = any

/** Every message that has come whole so far: exchange by exchange, each in its order. */
export function messagesOf({ exchanges }: Wire): readonly WireMessage[] {
  return exchanges.flatMap(eventsOf).flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data)]))
}

export interface WireEvent {
  readonly id: string | undefined
  readonly data: string
}

/** The events of a stream; an answer in JSON counts as one. */
export function eventsOf({ responseHeaders, text }: Exchange): readonly WireEvent[] {
  if (responseHeaders.get('content-type') !== 'text/event-stream') {
    return text === '' ? [] : [{ id: undefined, data: text }]
  }
  // What stands after the last empty line has not come whole.
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((event) => {
      const lines = event.split('\n')
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}:`))
      const data = field('data')
      if (data === undefined || field('event') === 'event: endpoint') return []
      return [
        { id: field('id')?.slice('id: '.length), data: data.slice('data:'.length).trimStart() },
      ]
    })
}
