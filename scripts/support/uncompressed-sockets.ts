/**
 * The socket on which Vitest sends modules to workerd is compressed by default, which takes up to a third of the processor
 * time of a start. Neither Miniflare nor the plugin has an option for it.
 */
import http, { type RequestOptions } from 'node:http'

/** WebSockets of this process offer no compression from now on. */
export function offerNoCompression(): void {
  const { request } = http
  http.request = ((options: RequestOptions, ...rest: []) => {
    if (options.headers !== undefined) {
      Reflect.deleteProperty(options.headers, 'Sec-WebSocket-Extensions')
    }
    return request(options, ...rest)
  }) as typeof request
}
