/** Writes the results as Markdown: the table, the budgets, and the load on the two cores. */
import type { Lane, ScenarioName } from '../lanes/lane.ts'
import { BASELINE_FOLDER, LANES } from '../lanes/lanes.ts'
import { type Footprint, isProtected } from '../measure/footprint.ts'
import type { Series } from '../measure/interleaved-run.ts'
import { SCENARIOS } from '../measure/scenarios.ts'
import { spreadOf } from '../measure/statistics.ts'
import { budgetLines, spreadText } from './budgets.ts'
import { range, row, times } from './cells.ts'
import { bareOf, cpuRatio, figuresOf, findSeries } from './figures.ts'
import type { Measured } from './measured.ts'
import { pacedRows } from './paced-rows.ts'
import { publishRows } from './publish-rows.ts'
import { replayRows, sessionRowRows } from './session-figures.ts'
import { taskCountLines } from './task-cost.ts'
import { usageLines } from './usage-lines.ts'

const HEAD = [
  '| scenario | lane | median | min–max | requests/s | ÷ bare | ÷ edgeway |',
  '|---|---|--:|--:|--:|--:|--:|',
]

const UNITS =
  'Scenarios are in µs of server processor time per request, or per two requests for `ask`. ' +
  'Ratios are medians of the ratios within one round.'

export function reportText(measured: Measured): string {
  const { series, published, sessionRows, replayed, paced, taskCounts, usageCounts, footprints } =
    measured
  const rows = [
    ...scenarioRows(series),
    ...publishRows(published),
    ...sessionRowRows(sessionRows),
    ...replayRows(replayed),
    ...pacedRows(paced),
    ...sizeRows(footprints, 'size, 1 tool, gzip', ({ gzipBytes }) => gzipBytes),
    ...sizeRows(footprints, 'without function names', (one) => one.unnamedGzipBytes),
    ...startupRows(footprints),
  ]
  const sections = [
    [...HEAD, ...rows],
    [UNITS],
    baselineLines(series),
    budgetLines(measured),
    taskCountLines(taskCounts),
    usageLines(usageCounts),
    utilizationLines(series),
  ]
  const text = sections.filter(({ length }) => length > 0).map((lines) => lines.join('\n'))
  return `\n${text.join('\n\n')}\n`
}

function scenarioRows(series: readonly Series[]): string[] {
  const lanes = [...new Set(series.map(({ lane }) => lane))].toSorted((a, b) => rank(a) - rank(b))
  return SCENARIOS.filter((scenario) => series.some((each) => each.scenario === scenario)).flatMap(
    ({ name, title }) =>
      lanes
        .filter(({ folder }) => !isUnusedBareRoute(folder, bareOf(series, name)))
        .filter((lane) => lane.supports.includes(name) || !isCoveredByVariant(lane, name))
        .map((lane) =>
          scenarioRow(series, title, lane.name, findSeries(series, lane.folder, name)),
        ),
  )
}

/** Position in `LANES`. The baseline has that of Edgeway. */
function rank({ folder }: Lane): number {
  const name = folder === BASELINE_FOLDER ? 'edgeway' : folder
  return LANES.findIndex((lane) => lane.folder === name)
}

/** A scenario lists only the one of the two bare routes that it is compared with. */
function isUnusedBareRoute(folder: string, bare: Series | undefined): boolean {
  return (folder === 'bare' || folder === 'same-bytes') && folder !== bare?.lane.folder
}

/** Whether a lane that does not support a scenario needs no row with dashes. */
function isCoveredByVariant({ folder, variantOf }: Lane, name: ScenarioName): boolean {
  if (variantOf !== undefined) return true
  return LANES.some((lane) => lane.variantOf === folder && lane.supports.includes(name))
}

function scenarioRow(
  series: readonly Series[],
  title: string,
  lane: string,
  one: Series | undefined,
): string {
  if (one === undefined) return row(title, lane, '—', '—', '—', '—', '—')
  const { cpu, requestsPerSecond } = figuresOf(one)
  const { name } = one.scenario
  return row(
    title,
    lane,
    `${cpu.median.toFixed(1)} µs`,
    range(cpu, 1),
    requestsPerSecond.median.toFixed(0),
    times(cpuRatio(one, bareOf(series, name))?.median),
    times(cpuRatio(one, findSeries(series, 'edgeway', name))?.median),
  )
}

function sizeRows(
  footprints: readonly Footprint[],
  figure: string,
  bytesOf: (footprint: Footprint) => number,
): string[] {
  return footprints.map((one) =>
    row(
      figure,
      one.name,
      `${(bytesOf(one) / 1000).toFixed(1)} KB`,
      '',
      '',
      ...footprintRatios(footprints, one, bytesOf),
    ),
  )
}

function startupRows(footprints: readonly Footprint[]): string[] {
  return footprints.map((one) =>
    row(
      'start to first response',
      one.name,
      `${one.startupMilliseconds.median.toFixed(1)} ms`,
      range(one.startupMilliseconds, 1),
      '',
      ...footprintRatios(footprints, one, ({ startupMilliseconds }) => startupMilliseconds.median),
    ),
  )
}

/** Ratios to the bare route, and to Edgeway: with `embedded()` for servers that require a token. */
function footprintRatios(
  footprints: readonly Footprint[],
  one: Footprint,
  figure: (footprint: Footprint) => number,
): [string, string] {
  const ratioTo = (folder: string, wanted: string) => {
    const base = footprints.find(({ lane, entry }) => lane.folder === folder && entry === wanted)
    return times(base === undefined ? undefined : figure(one) / figure(base))
  }
  return [
    ratioTo('bare', 'one-tool'),
    ratioTo('edgeway', isProtected(one.entry) ? 'authorized' : 'one-tool'),
  ]
}

/** Edgeway compared with the checkout of `--baseline`. */
function baselineLines(series: readonly Series[]): string[] {
  return SCENARIOS.flatMap(({ name }) => {
    const before = findSeries(series, BASELINE_FOLDER, name)
    const ratio = cpuRatio(findSeries(series, 'edgeway', name), before)
    return ratio === undefined ? [] : `- edgeway ÷ before, ${name}: ${spreadText(ratio, 'times')}`
  })
}

/** Shows that the server was the bottleneck and not the load generator. */
function utilizationLines(series: readonly Series[]): string[] {
  const [fastest] = series.toSorted((a, b) => figuresOf(a).cpu.median - figuresOf(b).cpu.median)
  if (fastest === undefined) return []
  const share = (figure: 'serverShare' | 'driverShare', of: readonly Series[]) => {
    const shares = of.flatMap(({ rounds }) => rounds.map((round) => round[figure]))
    return `${(spreadOf(shares).median * 100).toFixed(0)} %`
  }
  return [
    `The load generator used ${share('driverShare', series)} of its core, ` +
      `and the server under load ${share('serverShare', series)} of the other.`,
    `With the cheapest series (${fastest.lane.name}, ${fastest.scenario.name}): ` +
      `${share('driverShare', [fastest])} and ${share('serverShare', [fastest])}.`,
  ]
}
