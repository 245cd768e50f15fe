/**
 * What a task costs on paper: the counts of `task-counts`, at the prices of the Workers Paid plan beyond
 * what it includes.
 */
import data from '../../../scripts/support/scale-counts.json' with { type: 'json' }
import type { TaskCounts, TaskCountsReport } from '../measure/task-counts.ts'
import { row } from './cells.ts'

/** In dollars beyond what the plan includes, for a million units, and for a GB in a month. */
const PRICES = data.prices

const BILLED = ['workerRequests', 'objectRequests', 'rowsRead', 'rowsWritten'] as const

const HEAD = [
  '| per task | requests | object requests (alarms) | rows read | rows written | $ per million |',
  '|---|--:|--:|--:|--:|--:|',
]

export function taskCountLines(report: TaskCountsReport | undefined): string[] {
  if (report === undefined) return []
  const { counts, storedBytes } = report
  const perMonth = (storedBytes / 1e9) * 1e6 * PRICES.storedGb
  return [
    ...HEAD,
    ...counts.map(countRow),
    '',
    `A task stores ${storedBytes} bytes: a million of them cost $${perMonth.toFixed(2)} per month, in ` +
      'proportion to their lifetime. Processor time and object duration are not included.',
  ]
}

function countRow(counts: TaskCounts): string {
  const { use, workerRequests, objectRequests, alarms, rowsRead, rowsWritten } = counts
  const figure = (value: number) => value.toFixed(1)
  return row(
    use,
    String(workerRequests),
    `${figure(objectRequests)} (${figure(alarms)})`,
    figure(rowsRead),
    figure(rowsWritten),
    dollarsPerMillion(counts).toFixed(2),
  )
}

/** Of a million tasks. Each of these units is priced by the million. */
function dollarsPerMillion(counts: TaskCounts): number {
  return BILLED.reduce((sum, name) => sum + counts[name] * PRICES[name], 0)
}
