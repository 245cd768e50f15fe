/** Saves exchanges as JSON Lines: an entry a line, as `GET /inspect/traffic` sends it, in the order of the server. */
import { saveFile } from '../elements/save-file.ts'
import type { Exchange } from './exchange.ts'

export function saveTraffic(exchanges: readonly Exchange[]): void {
  const entries = exchanges
    .flatMap((exchange) => exchange.entries)
    .sort((a, b) => a.number - b.number)
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`)
  const at = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  saveFile(`traffic-${at}.jsonl`, lines, 'application/jsonl')
}
