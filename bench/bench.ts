/** `npm run bench`: Edgeway beside its peers and the bare platform, in one run. */
import { parseArgs } from 'node:util'
import type { Definition, Event } from './lanes/lane.ts'
import { LANES } from './lanes/lanes.ts'
import { bundleOf, Contest } from './measure/contest.ts'
import { type EventReplaySeries, measureEventReplay } from './measure/event-replay.ts'
import { type Footprint, measureFootprints } from './measure/footprint.ts'
import { DRIVER_CORE, pinProcess } from './measure/processor.ts'
import { measurePublish, type PublishSeries } from './measure/publish.ts'
import { measureSessionRows, type SessionRows } from './measure/session-rows.ts'
import { WORKS } from './measure/works.ts'
import { reportText } from './report/report.ts'
import { saveResults } from './report/save.ts'

const USAGE = `npm run bench -- [options]
  --only a,b     of: ${WORKS.map(({ name }) => name).join(', ')},
                 publish, session-rows, replay, footprint (size and start-up); default: all
  --lanes a,b    of: ${LANES.map(({ folder }) => folder).join(', ')}; default: all
  --rounds N     how often every server has its turn; default 30, at least 5
  --seconds S    how long a turn takes; default 0.3
`

const EVENTS: readonly (readonly [Event, Definition])[] = [
  ['publish', 'listening'],
  ['session-rows', 'session-one-tool'],
  ['replay', 'session-progress'],
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
      rounds: { type: 'string', default: '30' },
      seconds: { type: 'string', default: '0.3' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  if (!(Number.isSafeInteger(rounds) && rounds >= 5 && seconds > 0)) throw new Error(USAGE)
  const only = choose(values.only, [
    ...WORKS.map(({ name }) => name as string),
    ...EVENTS.map(([event]) => event),
    'footprint',
  ])
  const folders = choose(
    values.lanes,
    LANES.map(({ folder }) => folder),
  )
  const lanes = LANES.filter(({ folder }) => folders.includes(folder))
  const works = WORKS.filter(({ name }) => only.includes(name))

  progress('bundling')
  for (const lane of lanes) {
    for (const work of works.filter(({ name }) => lane.works.includes(name))) {
      await bundleOf(lane, work.definition)
    }
    for (const [event, definition] of EVENTS) {
      if (only.includes(event) && lane.works.includes(event)) await bundleOf(lane, definition)
    }
  }
  let published: readonly PublishSeries[] = []
  let sessionRows: readonly SessionRows[] = []
  let replayed: readonly EventReplaySeries[] = []
  let footprints: readonly Footprint[] = []
  pinProcess(process.pid, DRIVER_CORE)
  const contest = await Contest.prepare(works, lanes)
  try {
    const series = await contest.run(rounds, seconds * 1000, progress)
    await contest.stop()
    if (only.includes('publish')) published = await measurePublish(lanes, rounds, progress)
    if (only.includes('session-rows')) sessionRows = await measureSessionRows(lanes, progress)
    if (only.includes('replay')) replayed = await measureEventReplay(lanes, rounds, progress)
    if (only.includes('footprint')) footprints = await measureFootprints(lanes, progress)
    const measured = { series, published, sessionRows, replayed, footprints }
    saveResults({ rounds, seconds, ...measured })
    process.stdout.write(reportText(measured))
  } finally {
    await contest.stop()
  }
}

/** @throws {Error} for a name that there is not */
function choose(given: string | undefined, known: readonly string[]): readonly string[] {
  if (given === undefined) return known
  const chosen = given.split(',')
  const unknown = chosen.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no ${unknown}\n${USAGE}`)
  return chosen
}
