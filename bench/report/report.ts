/** The run as Markdown: one table, what it says of the promises, and whether it can be trusted. */

import type { Lane, WorkName } from '../lanes/lane.ts'
import { LANES } from '../lanes/lanes.ts'
import type { Series } from '../measure/contest.ts'
import type { Footprint } from '../measure/footprint.ts'
import { spreadOf } from '../measure/statistics.ts'
import { WORKS } from '../measure/works.ts'
import { barLines } from './bars.ts'
import { range, row, times } from './cells.ts'
import { bareOf, cpuRatio, figuresOf, find } from './figures.ts'
import type { Measured } from './measured.ts'
import { publishRows } from './publish-rows.ts'
import { replayRows, sessionRowRows } from './session-figures.ts'

const HEAD = [
  '| work | lane | median | min–max | requests/s | ÷ bare | ÷ edgeway |',
  '|---|---|--:|--:|--:|--:|--:|',
]

export function reportText(measured: Measured): string {
  const { series, published, sessionRows, replayed, footprints } = measured
  const rows = [
    ...workRows(series),
    ...publishRows(published),
    ...sessionRowRows(sessionRows),
    ...replayRows(replayed),
    ...sizeRows(footprints),
    ...startupRows(footprints),
  ]
  return `${[
    '',
    ...HEAD,
    ...rows,
    '',
    'Works are in µs of server processor time per request, for a call that asks of both; ratios are medians of those within a round.',
    '',
    ...barLines(measured),
    '',
    ...trustLines(series),
  ].join('\n')}\n`
}

function workRows(series: readonly Series[]): string[] {
  const measured = LANES.filter((lane) => series.some((each) => each.lane === lane))
  return WORKS.filter((work) => series.some((each) => each.work === work)).flatMap((work) =>
    measured
      .filter(({ folder }) => !isOtherBare(folder, bareOf(series, work.name)))
      .filter((lane) => lane.works.includes(work.name) || !hasStandIn(lane, work.name))
      .map((lane) => workRow(series, work.title, lane.name, find(series, lane.folder, work.name))),
  )
}

/** The two bare routes stand in for each other: a work shows the one it is set against. */
function isOtherBare(folder: string, bare: Series | undefined): boolean {
  return (folder === 'bare' || folder === 'same-bytes') && folder !== bare?.lane.folder
}

/** Whether a lane that does not speak a work needs no row to say so. */
function hasStandIn({ folder, variantOf }: Lane, name: WorkName): boolean {
  if (variantOf !== undefined) return true
  return LANES.some((lane) => lane.variantOf === folder && lane.works.includes(name))
}

function workRow(
  series: readonly Series[],
  title: string,
  lane: string,
  one: Series | undefined,
): string {
  if (one === undefined) return row(title, lane, '—', '—', '—', '—', '—')
  const { cpu, requestsPerSecond } = figuresOf(one)
  const { name } = one.work
  return row(
    title,
    lane,
    `${cpu.median.toFixed(1)} µs`,
    range(cpu, 1),
    requestsPerSecond.median.toFixed(0),
    times(cpuRatio(one, bareOf(series, name))?.median),
    times(cpuRatio(one, find(series, 'edgeway', name))?.median),
  )
}

function sizeRows(footprints: readonly Footprint[]): string[] {
  return footprints.map(({ lane, gzipBytes }) =>
    row(
      'size, 1 tool, gzip',
      lane,
      `${(gzipBytes / 1000).toFixed(1)} KB`,
      '',
      '',
      ...against(footprints, gzipBytes, (footprint) => footprint.gzipBytes),
    ),
  )
}

function startupRows(footprints: readonly Footprint[]): string[] {
  return footprints.map(({ lane, startupMilliseconds: startup }) =>
    row(
      'start to first answer',
      lane,
      `${startup.median.toFixed(1)} ms`,
      range(startup, 1),
      '',
      ...against(footprints, startup.median, (other) => other.startupMilliseconds.median),
    ),
  )
}

/** A footprint over that of the bare route and over that of Edgeway. */
function against(
  footprints: readonly Footprint[],
  value: number,
  figure: (footprint: Footprint) => number,
): [string, string] {
  const over = (folder: string) => {
    const name = LANES.find((lane) => lane.folder === folder)?.name
    const base = footprints.find(({ lane }) => lane === name)
    return times(base === undefined ? undefined : value / figure(base))
  }
  return [over('bare'), over('edgeway')]
}

/** The load generator must have had time to spare while the server had none. */
function trustLines(series: readonly Series[]): string[] {
  if (series.length === 0) return []
  const share = (figure: 'serverShare' | 'driverShare', of: readonly Series[]) =>
    spreadOf(of.flatMap(({ rounds }) => rounds.map((round) => round[figure]))).median
  const fastest = series.toSorted((a, b) => figuresOf(a).cpu.median - figuresOf(b).cpu.median)[0]
  const percent = (value: number) => `${(value * 100).toFixed(0)} %`
  const lines = [
    `Of a core of its own the load generator used ${percent(share('driverShare', series))}, ` +
      `the server under load ${percent(share('serverShare', series))} of the other.`,
  ]
  if (fastest !== undefined) {
    lines.push(
      `With the server that was cheapest to ask (${fastest.lane.name}, ${fastest.work.name}): ` +
        `${percent(share('driverShare', [fastest]))} and ${percent(share('serverShare', [fastest]))}.`,
    )
  }
  return lines
}
