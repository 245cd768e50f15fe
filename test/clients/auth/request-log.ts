/** A `fetch` that records each request with its status: `POST /token 200`. */

export interface RequestLog {
  readonly fetch: typeof fetch
  /** The requests since the last call, in the order of their responses. Streams of sessions are left out, because clients open them on their own. */
  take(): readonly string[]
}

export function createRequestLog(fetchWith: typeof fetch = fetch): RequestLog {
  let lines: string[] = []
  return {
    fetch: async (input, init) => {
      const response = await fetchWith(input, init)
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      const line = `${init?.method ?? 'GET'} ${pathname} ${response.status}`
      if (line !== 'GET /mcp 200' && line !== 'GET /sse 200') lines.push(line)
      return response
    },
    take: () => {
      const recorded = lines
      lines = []
      return recorded
    },
  }
}
