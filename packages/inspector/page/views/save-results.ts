/** Saves results as a file of their view. */
import type { SavedResult } from '../../../view/src/host/saved-results.ts'
import { saveFile } from '../elements/save-file.ts'

/** @param uri of the view, whose last part is the name of its file */
export function saveResults(uri: string, results: readonly SavedResult[]): void {
  const name = uri.split('/').at(-1) || 'view'
  saveFile(`${name}.results.json`, [`${JSON.stringify(results, null, 2)}\n`], 'application/json')
}
