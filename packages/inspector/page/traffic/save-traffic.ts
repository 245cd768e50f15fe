/** Saves exchanges as JSON Lines: an entry a line, as `GET /inspect/traffic` sends it, in the order of the server. */
import type { Exchange } from './exchange.ts'

export function saveTraffic(exchanges: readonly Exchange[]): void {
  const entries = exchanges
    .flatMap((exchange) => exchange.entries)
    .sort((a, b) => a.number - b.number)
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(lines, { type: 'application/jsonl' }))
  const at = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  link.download = `traffic-${at}.jsonl`
  link.click()
  // The browser has read it when the page goes on.
  setTimeout(() => URL.revokeObjectURL(link.href))
}
