/**
 * `npm run task-storm -- [--tasks N] [--kills N] [--seed S]`: many durable tasks at once on a server that
 * is killed. The exit code is 1 if one is lost, repeated or mixed up.
 */
import { runStorm } from '../test/faults/tasks/storm.ts'
import { Random } from '../test/soak/random.ts'
import { readFlags } from './support/read-flags.ts'

const USAGE = 'npm run task-storm -- [--tasks N] [--kills N] [--seed S]'
const values = readFlags(USAGE, {
  tasks: { type: 'string', default: '1000' },
  kills: { type: 'string', default: '5' },
  seed: { type: 'string', default: String(Random.newSeed()) },
})
const [tasks, kills, seed] = [values.tasks, values.kills, values.seed].map(Number)
if (!tasks || !kills || seed === undefined || Number.isNaN(seed)) {
  process.stderr.write(`usage: ${USAGE}\n`)
  process.exit(2)
}
const onProgress = (line: string) => process.stderr.write(`${line}\n`)
const report = await runStorm({ tasks, kills, seed, onProgress })
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
process.exit(report.violations.length === 0 ? 0 : 1)
