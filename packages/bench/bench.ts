/** `npm run bench`: measures Edgeway, comparable libraries and the bare platform in one run. */
import { parseArgs } from 'node:util'
import type { EntryName, Lane, Measurement } from './lanes/lane.ts'
import { baselineLane, LANES } from './lanes/lanes.ts'
import { bundleOf } from './measure/bundle.ts'
import { type EventReplaySeries, measureEventReplay } from './measure/event-replay.ts'
import { type Footprint, measureFootprints } from './measure/footprint.ts'
import { InterleavedRun } from './measure/interleaved-run.ts'
import { measurePacedCalls, type PacedSeries } from './measure/paced-calls.ts'
import { DRIVER_CORE, pinProcess } from './measure/processor.ts'
import { measurePublish, type PublishSeries } from './measure/publish.ts'
import { SCENARIOS } from './measure/scenarios.ts'
import { measureSessionRows, type SessionRows } from './measure/session-rows.ts'
import { measureTaskCounts, type TaskCountsReport } from './measure/task-counts.ts'
import { measureUsageCounts, type UsageCounts } from './measure/usage-counts.ts'
import { reportText } from './report/report.ts'
import { saveResults } from './report/save.ts'

const USAGE = `npm run bench -- [options]
  --only a,b     of: ${SCENARIOS.map(({ name }) => name).join(', ')},
                 publish, session-rows, replay, paced, task-counts, usage-counts, footprint
                 (size and start-up); default: all
  --lanes a,b    of: ${LANES.map(({ folder }) => folder).join(', ')}; default: all
  --baseline DIR also measures Edgeway from another checkout, where npm ci has been run
  --rounds N     number of rounds; default 30, at least 5
  --seconds S    duration of one turn; default 0.3
`

const MEASUREMENTS: readonly (readonly [Measurement, EntryName])[] = [
  ['publish', 'listening'],
  ['session-rows', 'session-one-tool'],
  ['replay', 'session-progress'],
  ['paced', 'authorized'],
  ['task-counts', 'counted-task'],
]

const progress = (text: string) => process.stderr.write(`${text}\n`)

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      lanes: { type: 'string' },
      baseline: { type: 'string' },
      rounds: { type: 'string', default: '30' },
      seconds: { type: 'string', default: '0.3' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  if (!(Number.isSafeInteger(rounds) && rounds >= 5 && seconds > 0)) throw new Error(USAGE)
  const only = parseNames(values.only, [
    ...SCENARIOS.map(({ name }) => name as string),
    ...MEASUREMENTS.map(([measurement]) => measurement),
    'usage-counts',
    'footprint',
  ])
  const lanes = await chooseLanes(values.lanes, values.baseline)
  const scenarios = SCENARIOS.filter(({ name }) => only.includes(name))

  progress('bundling')
  for (const lane of lanes) {
    for (const { entry } of scenarios.filter(({ name }) => lane.supports.includes(name))) {
      await bundleOf(lane, entry)
    }
    for (const [measurement, entry] of MEASUREMENTS) {
      if (only.includes(measurement) && lane.supports.includes(measurement)) {
        await bundleOf(lane, entry)
      }
    }
  }
  let published: readonly PublishSeries[] = []
  let sessionRows: readonly SessionRows[] = []
  let replayed: readonly EventReplaySeries[] = []
  let paced: readonly PacedSeries[] = []
  let taskCounts: TaskCountsReport | undefined
  let usageCounts: readonly UsageCounts[] = []
  let footprints: readonly Footprint[] = []
  pinProcess(process.pid, DRIVER_CORE)
  const run = await InterleavedRun.prepare(scenarios, lanes)
  try {
    const series = await run.measure(rounds, seconds * 1000, progress)
    await run.stop()
    if (only.includes('publish')) published = await measurePublish(lanes, rounds, progress)
    if (only.includes('session-rows')) sessionRows = await measureSessionRows(lanes, progress)
    if (only.includes('replay')) replayed = await measureEventReplay(lanes, rounds, progress)
    if (only.includes('paced')) paced = await measurePacedCalls(lanes, progress)
    if (only.includes('task-counts')) taskCounts = await measureTaskCounts(lanes, progress)
    if (only.includes('usage-counts')) usageCounts = await measureUsageCounts(lanes, progress)
    if (only.includes('footprint')) footprints = await measureFootprints(lanes, progress)
    const measured = {
      series,
      published,
      sessionRows,
      replayed,
      paced,
      taskCounts,
      usageCounts,
      footprints,
    }
    saveResults({ rounds, seconds, ...measured })
    process.stdout.write(reportText(measured))
  } finally {
    await run.stop()
  }
}

/** The baseline lane has its turn directly after Edgeway. */
async function chooseLanes(
  names: string | undefined,
  baseline: string | undefined,
): Promise<readonly Lane[]> {
  const folders = parseNames(
    names,
    LANES.map(({ folder }) => folder),
  )
  const before = baseline === undefined ? [] : [await baselineLane(baseline)]
  return LANES.filter(({ folder }) => folders.includes(folder)).flatMap((lane) =>
    lane.folder === 'edgeway' ? [lane, ...before] : [lane],
  )
}

/** @throws {Error} for an unknown name */
function parseNames(given: string | undefined, known: readonly string[]): readonly string[] {
  if (given === undefined) return known
  const chosen = given.split(',')
  const unknown = chosen.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`Unknown name: ${unknown}\n${USAGE}`)
  return chosen
}
