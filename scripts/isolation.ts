/**
 * `npm run isolation -- [--calls N] [--kills N] [--seed S]`: 40 principals with different factories call
 * one server in every era while it is killed. The exit code is 1 if one receives anything of another.
 */
import { parseArgs } from 'node:util'
import { runBattery } from '../test/faults/isolation/battery.ts'
import { Random } from '../test/soak/random.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Random.newSeed()) },
  },
})
const [calls, kills, seed] = [values.calls, values.kills, values.seed].map(Number)
if (!calls || !kills || seed === undefined || Number.isNaN(seed)) {
  process.stderr.write('usage: npm run isolation -- [--calls N] [--kills N] [--seed S]\n')
  process.exit(2)
}
const report = await runBattery({ calls, kills, seed })
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
process.exit(report.violations.length === 0 ? 0 : 1)
