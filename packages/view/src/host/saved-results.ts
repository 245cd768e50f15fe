/** Results of tools that are saved as a file beside a view: the inspector writes it, `edgeway views shots` takes pictures of them. */
import { isObject, type Members } from '../frame.ts'

export interface SavedResult {
  readonly name: string
  readonly tool: string
  readonly arguments: Members
  readonly result: Members
}

/** @throws {TypeError} with a sentence about the file */
export function parseResults(text: string): readonly SavedResult[] {
  let results: unknown
  try {
    results = JSON.parse(text)
  } catch (cause) {
    throw new TypeError('The file is no JSON', { cause })
  }
  if (Array.isArray(results) && results.length > 0 && results.every(isSaved)) return results
  throw new TypeError(
    'The file must be a list of results: [{ "name", "tool", "arguments", "result" }]',
  )
}

function isSaved(value: unknown): value is SavedResult {
  return (
    isObject(value) &&
    typeof value.name === 'string' &&
    typeof value.tool === 'string' &&
    isObject(value.arguments) &&
    isObject(value.result)
  )
}
