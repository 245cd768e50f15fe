/** A `fetch` that writes down what was asked and how it was answered: `POST /token 200`. */

export interface RequestLog {
  readonly fetch: typeof fetch
  /** Since the last look, in the order of the answers; the streams of sessions, which open by themselves, are left out. */
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
      const taken = lines
      lines = []
      return taken
    },
  }
}
