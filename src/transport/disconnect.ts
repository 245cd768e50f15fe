/** Detects disconnected clients by the abort signal. A failed write is the other sign: `sse/response-stream.ts`. */

/** Calls the listener when the request is aborted, immediately if it already is. */
export function onDisconnect({ signal }: Request, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}
