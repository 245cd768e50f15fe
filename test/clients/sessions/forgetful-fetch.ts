/** What several hosted clients do: they never send back the session id that they were given. */
export const forgetfulFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete('mcp-session-id')
  return fetch(input, { ...init, headers })
}
