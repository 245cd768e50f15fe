/** Summarizes the response to a call, so that a table of cases can state what it expects. */
import type { WireMessage } from '../support/sse-parser.ts'

/** The code of an error, `asks` with the keys of input requests, or the text of a result. */
export function outcomeOf({ result, error }: WireMessage): string | number {
  if (error !== undefined) return error.code
  if (result.inputRequests !== undefined) return `asks ${Object.keys(result.inputRequests).join()}`
  return result.content.map(({ text }: { readonly text: string }) => text).join()
}
