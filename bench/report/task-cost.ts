/**
 * What a task costs on paper: the counts of `task-counts`, at the prices of the Workers Paid plan beyond
 * what it includes.
 *
 * @see https://developers.cloudflare.com/durable-objects/platform/pricing/
 * @see https://developers.cloudflare.com/workers/platform/pricing/
 */
import type { TaskCounts, TaskCountsReport } from '../measure/task-counts.ts'
import { row } from './cells.ts'

/** US dollars per million. */
const PRICES = {
  workerRequests: 0.3,
  objectRequests: 0.15,
  rowsRead: 0.001,
  rowsWritten: 1,
} as const

/** US dollars per GB and month. */
const STORAGE_PRICE = 0.2

const HEAD = [
  '| per task | requests | object requests (alarms) | rows read | rows written | $ per million |',
  '|---|--:|--:|--:|--:|--:|',
]

export function taskCountLines(report: TaskCountsReport | undefined): string[] {
  if (report === undefined) return []
  const { counts, storedBytes } = report
  const perMonth = (storedBytes / 1e9) * 1e6 * STORAGE_PRICE
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

function dollarsPerMillion(counts: TaskCounts): number {
  const names = Object.keys(PRICES) as (keyof typeof PRICES)[]
  return names.reduce((sum, name) => sum + counts[name] * PRICES[name], 0)
}
