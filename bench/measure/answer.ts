/** The result in an answer, however the server chose to send it. */
import { REQUEST_ID } from '../load/request.ts'

/** Undefined where there is none: an error, another id, something that is no answer. */
export function parseAnswer(
  text: string,
  id = REQUEST_ID,
): Readonly<Record<string, unknown>> | undefined {
  const json = text.startsWith('{') ? text : lastEvent(text)
  if (json === undefined) return undefined
  const message: { id?: unknown; result?: Record<string, unknown>; error?: unknown } =
    JSON.parse(json)
  return message.id === id && message.error === undefined ? message.result : undefined
}

/** The data of the last event of a stream that has any. */
function lastEvent(text: string): string | undefined {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.length > 'data: '.length)
    .at(-1)
    ?.slice('data:'.length)
}
