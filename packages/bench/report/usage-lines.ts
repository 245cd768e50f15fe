/** The table of `usage-counts`: what the platform bills for one use of one client. */
import type { UsageCounts } from '../measure/usage-counts.ts'
import { row } from './cells.ts'

const HEAD = [
  '| use, by one client | lane | requests | object requests (alarms) | messages | rows read | rows written | CPU |',
  '|---|---|--:|--:|--:|--:|--:|--:|',
]

export function usageLines(counted: readonly UsageCounts[]): string[] {
  if (counted.length === 0) return []
  return [...HEAD, ...counted.map(usageRow)]
}

function usageRow({ use, lane, workerRequests, ...usage }: UsageCounts): string {
  const figure = (value: number) => String(Number(value.toFixed(2)))
  return row(
    use,
    lane.name,
    String(workerRequests),
    `${figure(usage.objectRequests)} (${figure(usage.alarms)})`,
    figure(usage.messages),
    figure(usage.rowsRead),
    figure(usage.rowsWritten),
    `${figure(usage.cpuMilliseconds)} ms`,
  )
}
