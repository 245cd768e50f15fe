/**
 * `npm run event-storm -- [--times N] [--point TEXT] [--from N] [--seed S]`: kills the server N times at each moment
 * between an event and its delivery. The exit code is 1 if an event is lost, or delivered after the end.
 */
import { POINTS } from '../packages/events/test/faults/points.ts'
import '../src/runtime/node.js'
import { runEventStorm } from '../packages/events/test/faults/storm.ts'
import { Random } from '../test/soak/random.ts'
import { readFlags } from './support/read-flags.ts'

const USAGE = 'npm run event-storm -- [--times N] [--point TEXT] [--from N] [--seed S]'
const values = readFlags(USAGE, {
  times: { type: 'string', default: '15' },
  point: { type: 'string', default: '' },
  from: { type: 'string', default: '0' },
  seed: { type: 'string', default: String(Random.newSeed()) },
})
const [times, from, seed] = [values.times, values.from, values.seed].map(Number)
const points = POINTS.filter((point) => point.includes(values.point))
if (
  !times ||
  from === undefined ||
  !Number.isInteger(from) ||
  !Number.isInteger(seed) ||
  points.length === 0
) {
  process.stderr.write(`usage: ${USAGE}\n`)
  process.exit(2)
}
process.stderr.write(`seed ${seed}\n`)
const onProgress = (line: string) => process.stderr.write(`${line}\n`)
const report = await runEventStorm({ seed: seed as number, times, points, from, onProgress })
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
process.exit(report.violations.length === 0 ? 0 : 1)
