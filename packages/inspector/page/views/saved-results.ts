/** Results that are saved as a file, and read again: `edgeway views shots` takes pictures of them. */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { Params } from '../client/endpoint.ts'
import { saveFile } from '../elements/save-file.ts'

export interface SavedResult {
  readonly name: string
  readonly tool: string
  readonly arguments: Params
  readonly result: Params
}

/** @param uri of the view, whose last part is the name of its file */
export function saveResults(uri: string, results: readonly SavedResult[]): void {
  const name = uri.split('/').at(-1) || 'view'
  saveFile(`${name}.results.json`, [`${JSON.stringify(results, null, 2)}\n`], 'application/json')
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
    isJsonObject(value) &&
    typeof value.name === 'string' &&
    typeof value.tool === 'string' &&
    isJsonObject(value.arguments) &&
    isJsonObject(value.result)
  )
}
