/** Noticing that a client has gone. A failed write is the other sign; see `sse/response-stream.ts`. */

/** Calls back once the request is aborted, at once if it already is. */
export function onDisconnect({ signal }: Request, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}
