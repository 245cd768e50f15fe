/** `--json`: the stable form of a report. */
import type { ClientReport } from '../walk.ts'

/** What was examined: a URL, or a configuration file. */
type Examined = { readonly url: string } | { readonly config: string }

export function jsonReport(examined: Examined, clients: readonly ClientReport[]): string {
  const report = {
    ...examined,
    clients: clients.map(({ name, connects, findings }) => ({ name, connects, findings })),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
