/** A `fetch` that removes the session id from every request, as several hosted clients do. */
export const fetchWithoutSessionId: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete('mcp-session-id')
  return fetch(input, { ...init, headers })
}
