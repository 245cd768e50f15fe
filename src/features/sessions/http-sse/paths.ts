/** The paths of the transport of 2024-11-05: one of the stream, and one of messages with the same params. */
import type { Handlers } from '../../../transport/endpoint.ts'
import { EndpointPaths, PathPattern } from '../../../transport/endpoint-paths.ts'
import type { TransportPaths } from '../../../transport/extensions.ts'
import { createConnect } from './connect.ts'
import { handleMessage } from './messages.ts'

export interface HttpSseOptions {
  readonly path?: string
  readonly messagesPath?: string
}

/**
 * Both paths belong to the resource of the stream.
 *
 * @param endpoint the paths of the endpoint. When all of them have params, the defaults have those of the first
 * @throws {TypeError} for a malformed path, and for paths whose params differ
 */
export function createHttpSsePaths(
  options: HttpSseOptions,
  endpoint: readonly PathPattern[],
  handlers: Handlers,
  isServed: TransportPaths['isServed'],
): TransportPaths {
  const needsParams = endpoint.every(({ paramNames }) => paramNames.length > 0)
  const params = needsParams ? endpoint[0]?.paramNames.map((name) => `/{${name}}`).join('') : ''
  const { path = `/sse${params}`, messagesPath = `/messages${params}` } = options
  const reserved = endpoint[0]?.reserved
  const stream = new PathPattern('httpSse.path', path, reserved)
  const messages = new PathPattern('httpSse.messagesPath', messagesPath, reserved)
  if (String(stream.paramNames) !== String(messages.paramNames)) {
    throw new TypeError('httpSse.path and httpSse.messagesPath must have the same params')
  }
  if (needsParams && stream.paramNames.length === 0) {
    throw new TypeError('httpSse.path must have params, because every path of the endpoint has')
  }
  const endpoints = new EndpointPaths()
  const connect = createConnect(stream, messages)
  endpoints.add(stream, { GET: connect })
  endpoints.add(messages, { POST: handleMessage }, stream)
  const onStream: Handlers = {
    ...handlers,
    // A client of this transport has its session id in the URL for messages, and not in a header.
    GET: (exchange) =>
      handlers.GET !== undefined && exchange.request.headers.has('mcp-session-id')
        ? handlers.GET(exchange)
        : connect(exchange),
  }
  const handlersAt = ({ source }: PathPattern) => (source === path ? onStream : undefined)
  return { stream, messages, endpoints, handlersAt, isServed }
}
