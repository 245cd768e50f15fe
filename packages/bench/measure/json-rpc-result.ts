/** Reads the JSON-RPC result from a response body, which is JSON or an event stream. */
import { REQUEST_ID } from '../load/request.ts'

/** Undefined for an error response, another request id, or a body without a response. */
export function parseResult(
  text: string,
  id = REQUEST_ID,
): Readonly<Record<string, unknown>> | undefined {
  const json = text.startsWith('{') ? text : lastEvent(text)
  if (json === undefined) return undefined
  const message: { id?: unknown; result?: Record<string, unknown>; error?: unknown } =
    JSON.parse(json)
  return message.id === id && message.error === undefined ? message.result : undefined
}

/** The data of the last event that has data. */
function lastEvent(text: string): string | undefined {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.length > 'data: '.length)
    .at(-1)
    ?.slice('data:'.length)
}
