/**
 * The socket on which Vitest sends modules to workerd is compressed by default, which takes a third of the processor time
 * of a start. Neither Miniflare nor the plugin has an option for it.
 */
import http from 'node:http'

const EXTENSIONS = 'Sec-WebSocket-Extensions'

/** WebSockets of this process offer no compression from now on. */
export function offerNoCompression(): void {
  const { request } = http
  http.request = ((...args: Parameters<typeof request>) => {
    const [options] = args as unknown as [{ headers?: Record<string, unknown> }]
    if (options.headers?.[EXTENSIONS] !== undefined) delete options.headers[EXTENSIONS]
    return request(...args)
  }) as typeof request
}
